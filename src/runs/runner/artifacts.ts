import { relative, resolve, sep } from 'node:path';
import { defined, isPlainObject } from '#lib/collections.ts';
import { getContentType } from '#lib/content-type.ts';
import { createGlobMatcher, isGlob } from '#lib/glob.ts';
import { parseJson, stripBom } from '#lib/parse-json.ts';
import type { Platform, Project } from '#platform/port.ts';
import type { FileEntry, RunnerPlatform } from '#platform/runner/port.ts';
import { createSkillError } from '../errors/skill.ts';
import type { ArtifactFile, ResolvedArtifact } from '../model/artifact.ts';
import type { ArtifactSpec, Construct, PhaseSpec } from '../model/construct.ts';
import type { DocSchema } from '../model/doc-schema.ts';
import type { Artifact, SideEffect, Warning } from '../model/execution.ts';
import type { TreeChange, TreeSnapshot } from '../model/tree.ts';
import { type AttributedChanges, createAttribution, diffSnapshots, endSkill, startSkill } from '../rules/attribute-changes.ts';
import { expandVariables } from '../rules/construct/conventions.ts';
import { builtInSchemas } from '../rules/document/schemas.ts';
import type { RunContext } from './run-context.ts';

/** Finds the files of an artifact and checks them against its schema. */
export interface ArtifactFinder {
  find(spec: ArtifactSpec, vars: Record<string, string>): ResolvedArtifact;
}

const maxDocumentBytes = 16 * 2 ** 20;

export function createArtifactFinder(platform: RunnerPlatform, schemas: Schemas): ArtifactFinder {
  return {
    find(spec, vars) {
      const expanded = { ...spec, path: expandVariables(spec.path, vars) };
      const { files, isCut } = platform.findFiles(expanded.path);
      return {
        spec: expanded,
        files: files.map((file) => examineFile(platform, schemas, file, expanded.schema)),
        ...(isCut ? { isTruncated: isCut } : {}),
      };
    },
  };
}

function examineFile(platform: RunnerPlatform, schemas: Schemas, { path, kind, size }: FileEntry, schemaId: string | null): ArtifactFile {
  const base = { path, kind, size, sha256: '', contentType: getContentType(path), problems: [] };
  if (kind !== 'file') return base;
  const file: ArtifactFile = { ...base, sha256: platform.hashFile(path) };
  const docSchema = schemaId === null ? undefined : schemas.document(schemaId);
  const jsonSchema = schemaId === null ? undefined : schemas.json(schemaId);
  if ((!docSchema && !jsonSchema) || size === 0) return file;
  if (size > maxDocumentBytes) return { ...file, problems: ['is larger than 16 MiB'] };
  const text = decodeUtf8(platform.readFile(path));
  if (text === undefined) return { ...file, problems: ['is not UTF-8'] };
  if (!docSchema) return { ...file, problems: checkData(schemas, jsonSchema!, text, path) };
  return { ...file, ...schemas.measure(text, docSchema) };
}

/** Checks a JSON or YAML file against a JSON Schema. */
function checkData(schemas: Schemas, schema: Record<string, unknown>, text: string, path: string): string[] {
  const isYaml = /\.ya?ml$/i.test(path);
  let value: unknown;
  try {
    value = isYaml ? schemas.parseYaml(stripBom(text)) : JSON.parse(stripBom(text));
  } catch {
    return [`is not ${isYaml ? 'YAML' : 'JSON'}`];
  }
  return schemas.check(schema, value);
}

/** Undefined if the bytes are not UTF-8. */
export function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** Converts a path that is relative to the caller's folder into one that is relative to the project. Undefined if it is outside. */
export function toProjectPath({ folder }: Pick<Platform, 'folder'>, { root }: Pick<Project, 'root'>, path: string): string | undefined {
  const inProject = relative(root, resolve(folder, path));
  return inProject === '' || inProject === '..' || inProject.startsWith(`..${sep}`) ? undefined : inProject.split(sep).join('/');
}

/** Finds a file of the project by the path that a caller wrote: relative to the caller's folder first, then to the project. A path that
 *  leaves the project is not looked up, because the answer would reveal what exists there. */
export const findProjectPath = (
  platform: Pick<Platform, 'folder'>,
  project: Pick<Project, 'root'>,
  path: string,
  exists: (path: string) => boolean,
): string | undefined =>
  [toProjectPath(platform, project, path), toProjectPath({ folder: project.root }, project, path)].find(
    (one) => one !== undefined && exists(one),
  );

/** The schemas of a project, by id: document schemas and JSON Schemas. */
export interface Schemas {
  ids(): string[];
  document(id: string): DocSchema | undefined;
  json(id: string): Record<string, unknown> | undefined;
  /** Checks a value against a JSON Schema and returns the violations. */
  check(schema: Record<string, unknown>, value: unknown): string[];
  parseYaml(text: string): unknown;
  /** Loads the document parser if a schema of the construct needs it, and reports an invalid schema before the run starts. */
  prepare(construct: Pick<Construct, 'phases' | 'handoffs'>): Promise<void>;
  /** Measures the completeness of a document and checks its front matter. Call `prepare` first. */
  measure(text: string, schema: DocSchema): Pick<ArtifactFile, 'completeness' | 'problems'>;
}

const validateCommand = 'cleo construct validate';

/** Loads the built-in schemas and the files of `.cleo/schemas`, which override built-ins of the same id. YAML parser, JSON Schema
 *  compiler and document parser are large, so each is loaded only if a schema needs it. */
export async function loadSchemas(files: { name: string; text: string }[]): Promise<Schemas> {
  const documents = new Map(builtInSchemas.map((schema) => [schema.id, schema]));
  const json = new Map<string, Record<string, unknown>>();
  const yaml = files.length > 0 ? { ...(await import('../rules/document/read-schema.ts')), ...(await import('./yaml.ts')) } : undefined;
  const sources = new Map<string, string>();
  for (const { name, text } of files) {
    if (name.endsWith('.doc.yaml')) {
      const schema = yaml!.readDocSchema(name, text);
      if ('problem' in schema) throw createSkillError(78, `.cleo/schemas/${name}: ${schema.problem}`, validateCommand, { file: name });
      const other = sources.get(schema.id);
      if (other !== undefined)
        throw createSkillError(78, `.cleo/schemas: ${other} and ${name} have the same id ${schema.id}`, validateCommand, { file: name });
      sources.set(schema.id, name);
      documents.set(schema.id, schema);
    } else if (name.endsWith('.schema.json')) json.set(name.slice(0, -'.schema.json'.length), parseJsonSchema(name, text));
  }
  const needsCompiler = json.size > 0 || [...documents.values()].some(({ frontMatter }) => frontMatter !== undefined);
  const compile = needsCompiler ? (await import('./json-schema.ts')).compileSchema : undefined;
  const compiled = new Map<string, (value: unknown) => string[]>();
  let parser: typeof import('./documents.ts') | undefined;
  const schemas: Schemas = {
    ids: () => [...documents.keys(), ...json.keys()].sort(),
    document: (id) => documents.get(id),
    json: (id) => json.get(id),
    check(schema, value) {
      const key = JSON.stringify(schema);
      const check = compiled.get(key) ?? compileOrThrow(compile, schema);
      compiled.set(key, check);
      return check(value);
    },
    parseYaml: (text) => yaml?.parseYaml(text, { maxAliasCount: 0 }),
    async prepare(construct) {
      for (const id of listSchemaIds(construct)) {
        const schema = json.get(id) ?? documents.get(id)?.frontMatter;
        if (schema) schemas.check(schema, null);
        if (documents.has(id)) parser ??= await import('./documents.ts');
      }
    },
    measure(text, schema) {
      if (!parser) throw new Error('call prepare() before measure()');
      return parser.measureDocument(schemas, schema, text);
    },
  };
  return schemas;
}

function listSchemaIds({ phases, handoffs }: Pick<Construct, 'phases' | 'handoffs'>): Set<string> {
  const artifacts = [
    ...phases.flatMap(({ inputs, outputs }) => [...inputs, ...outputs]),
    ...handoffs.flatMap(({ required, optional }) => [...required, ...optional]),
  ];
  const checks = phases.flatMap(({ gates }) => [...gates.precondition.checks, ...gates.output.checks]);
  return new Set([
    ...artifacts.flatMap(({ schema }) => schema ?? []),
    ...checks.flatMap((check) => (check.kind === 'completeness' ? check.schema : [])),
    ...phases.flatMap(({ gates }) => gates.output.primarySchema ?? []),
  ]);
}

function compileOrThrow(compile: typeof import('./json-schema.ts').compileSchema | undefined, schema: Record<string, unknown>) {
  try {
    return compile?.(schema) ?? (() => []);
  } catch (error) {
    const problem = `a schema in .cleo/schemas is not valid: ${(error as Error).message}`;
    throw createSkillError(78, problem, validateCommand, { schema: schema.$id ?? schema.title ?? null });
  }
}

function parseJsonSchema(name: string, text: string): Record<string, unknown> {
  const value = parseJson(stripBom(text));
  if (isPlainObject(value)) return value;
  const problem = value === undefined ? 'is not JSON' : 'is not a JSON object';
  throw createSkillError(78, `.cleo/schemas/${name} ${problem}`, validateCommand, { file: name });
}

/** Scans the tree before and after each skill of a phase and attributes changes to skills, which may run in parallel. */
export interface FileChangeTracker {
  start(skill: string): Promise<void>;
  /** `claimed`: files that the skill says it wrote. */
  end(skill: string, claimed: string[]): Promise<AttributedChanges>;
}

export function createFileChangeTracker(platform: RunnerPlatform): FileChangeTracker {
  const attribution = createAttribution();
  // Scans run one after the other, because a scan of a large tree is asynchronous.
  let queue: Promise<unknown> = Promise.resolve();
  const scan = <T>(use: (now: TreeSnapshot) => T): Promise<T> => {
    const done = queue.then(async () => use(await platform.scanTree()));
    queue = done.catch(() => undefined);
    return done;
  };
  return {
    start: (skill) => scan((now) => startSkill(attribution, skill, now)),
    end: (skill, claimed) => scan((now) => endSkill(attribution, skill, now, claimed)),
  };
}

export interface FileChanges {
  artifacts: Artifact[];
  sideEffects: SideEffect[];
  warnings: Warning[];
  /** Paths of all files that were created or changed. */
  written: string[];
}

/** More undeclared writes than this are only counted. */
const maxReportedWrites = 50;

/** Hashes of the existing outputs of a phase. In a tree with too many files to scan they show which outputs changed. */
export const hashOutputs = (run: RunContext, phase: PhaseSpec): Map<string, string> =>
  new Map(findOutputFiles(run, phase).map(({ path, sha256 }) => [path, sha256]));

const findOutputFiles = (run: RunContext, phase: PhaseSpec): ArtifactFile[] =>
  listDeclaredOutputs(run, phase).flatMap((spec) => run.artifacts.find(spec, getVars(run, phase.name)).files);

/** The outputs of a phase and the artifacts that it hands off, required or optional: writing them is declared. */
const listDeclaredOutputs = ({ request }: RunContext, { name, outputs }: PhaseSpec): ArtifactSpec[] => [
  ...outputs,
  ...request.construct.handoffs
    .filter(({ from }) => from === name)
    .flatMap(({ required, optional }) => [...required, ...optional])
    .filter(({ path }) => outputs.every((output) => output.path !== path)),
];

/** Sorts the changes of an execution into artifacts and side effects. A file that a parallel skill may have written too is reported with
 *  the names of these skills. `hashesBefore` are the outputs before the execution, `claimed` the side effects that the skill reported. */
export function classifyChanges(
  run: RunContext,
  phase: PhaseSpec,
  own: AttributedChanges,
  hashesBefore: Map<string, string>,
  claimed: SideEffect[],
): FileChanges {
  const outputs = new Map(findOutputFiles(run, phase).map((file) => [file.path, file]));
  const changes = listChanges(own, [...outputs.values()], hashesBefore);
  const written = changes.filter(({ change }) => change !== 'deleted').map(({ path }) => path);
  const isOutput = createOutputMatcher(run, phase);
  const others = changes.filter(({ path, change }) => (change === 'deleted' || !isOutput(path)) && !own.isClaimedByOther(path));
  const declared = new Map(claimed.filter(({ type }) => type === 'file_write').map((effect) => [effect.target, effect]));
  const undeclared = others.filter(({ path }) => !declared.has(path));
  return {
    artifacts: written.filter((path) => !own.isClaimedByOther(path)).flatMap((path) => toArtifact(outputs.get(path), own.others(path))),
    sideEffects: others.slice(0, maxReportedWrites).map(
      ({ path, change }) =>
        declared.get(path) ?? {
          type: 'file_write',
          target: path,
          reversible: false,
          description: [change, ...own.others(path).map((other) => `perhaps by ${other}`)].join(', '),
        },
    ),
    warnings: [
      ...undeclared.slice(0, maxReportedWrites).map((change) => warnUndeclared(change, phase, own.others(change.path))),
      ...(undeclared.length > maxReportedWrites
        ? [{ code: 'undeclared_write', message: `and ${undeclared.length - maxReportedWrites} more` }]
        : []),
      ...(isCoarse(own) ? [{ code: 'coarse_scan', message: describeCoarseScan(own) }] : []),
    ],
    written,
  };
}

const isCoarse = ({ before, after }: AttributedChanges): boolean => before.isCoarse || after.isCoarse;

const describeCoarseScan = ({ before, after }: AttributedChanges): string =>
  `the project has too many files to scan; ${
    before.isUnknown || after.isUnknown ? 'without git only changes of outputs are known' : 'changes are those that git reports'
  }`;

/** The changes between the snapshots. Coarse snapshots miss changes of ignored files, so rewritten outputs are added. */
function listChanges(own: AttributedChanges, outputs: ArtifactFile[], hashesBefore: Map<string, string>): TreeChange[] {
  const changes = diffSnapshots(own.before, own.after);
  if (!isCoarse(own)) return changes;
  const known = new Set(changes.map(({ path }) => path));
  const rewritten = outputs.filter(({ path, sha256 }) => hashesBefore.get(path) !== sha256 && !known.has(path));
  return [...changes, ...rewritten.map(({ path }) => ({ path, change: 'changed' as const }))];
}

function warnUndeclared({ path, change }: TreeChange, { name }: PhaseSpec, others: string[]): Warning {
  const message = `${path} was ${change}, but is not an output of ${name}`;
  if (others.length === 0) return { code: 'undeclared_write', message, path };
  return { code: 'unattributed_write', message: `${message}; it may be by ${others.join(' or ')}, which ran at the same time` };
}

function toArtifact(file: ArtifactFile | undefined, others: string[]): Artifact[] {
  if (file?.kind !== 'file') return [];
  const { path, size, sha256, completeness } = file;
  return [
    {
      type: 'file',
      path,
      content_type: getContentType(path),
      size_bytes: size,
      checksum: sha256,
      metadata: { ...defined({ completeness: completeness?.completeness }), ...(others.length > 0 ? { shared_with: others } : {}) },
    },
  ];
}

/** The skills that may have written an artifact too. */
export const pickSharedWith = ({ shared_with }: Artifact['metadata']): { shared_with?: string[] } =>
  shared_with === undefined ? {} : { shared_with: shared_with as string[] };

/** Matches paths by the patterns of the outputs. The list of found files is not enough, because it is cut at a limit. */
function createOutputMatcher(run: RunContext, phase: PhaseSpec): (path: string) => boolean {
  const vars = getVars(run, phase.name);
  const paths = listDeclaredOutputs(run, phase).map((spec) => expandVariables(spec.path, vars));
  const exact = new Set(paths.filter((path) => !isGlob(path)));
  const matchers = paths.filter(isGlob).map(createGlobMatcher);
  return (path) => exact.has(path) || matchers.some((matches) => matches(path));
}

/** Values of the variables in paths of a phase. */
export const getVars = ({ request, record }: RunContext, phase: string): Record<string, string> => ({
  ...request.vars,
  project: request.project,
  run_id: record.run_id,
  phase,
  date: record.started_at.slice(0, 10),
});
