import { type Document, isAlias, isMap, isScalar, isSeq, LineCounter, type Node, type Pair, visit } from 'yaml';
import { defined } from '#lib/collections.ts';
import { sha256 } from '#lib/digest.ts';
import { findNearest } from '#lib/nearest.ts';
import { stripBom } from '#lib/parse-json.ts';
import { parseYamlDocument } from '#lib/yaml/parse-yaml.ts';
import { stageNames } from '#planning/model/lifecycle.ts';
import type { ArtifactSpec, Construct, ManifestFinding } from '../../model/construct.ts';
import {
  AssessmentPart,
  ConstructFile,
  ExecutionPart,
  listPartKeys,
  MetadataPart,
  manifestLimits,
  RedactionPart,
} from '../../model/construct-file.ts';
import { builtInSchemas } from '../document/schemas.ts';
import { readArgv, readHandoffs } from './requirements.ts';
import { readCapture, readExitCodes, readGoal, readJudge, readPhases, readSkills } from './sections.ts';

export interface ConstructReading {
  /** `pack`: it lists skills and has no phases. */
  kind: 'construct' | 'pack' | 'other';
  /** Undefined if there are errors. */
  construct?: Construct;
  findings: ManifestFinding[];
}

interface ReadConstructOptions {
  /** Hash of the file's bytes; defaults to the hash of the text. */
  digest?: string;
  /** Known schemas; defaults to the built-in ones. */
  schemas?: KnownSchemas;
}

const builtInSections: KnownSchemas = new Map(builtInSchemas.map(({ id, sections }) => [id, sections.map((section) => section.id)]));

export const maxManifestLength = 1024 * 1024;

/** Reads a construct.yaml and reports everything that is wrong with it. An unknown key is only a warning, because manifests carry keys for
 *  other tools. */
export function readConstruct(
  file: string,
  text: string,
  { digest = sha256(text), schemas = builtInSections }: ReadConstructOptions = {},
): ConstructReading {
  const fileError = { where: '', severity: 'error' as const };
  if (text.length > maxManifestLength) return { kind: 'other', findings: [{ ...fileError, problem: 'is larger than 1 MiB' }] };
  const reader = createYamlReader(stripBom(text), [...schemas.keys()]);
  if (reader.findings.length > 0) return { kind: 'other', findings: pickFindings(reader.findings, 'error') };
  if (!reader.isMap(reader.top)) {
    const problem = reader.isPresent(reader.top) ? 'is not a construct: its top level is not a map' : 'is empty';
    return { kind: 'other', findings: [{ ...fileError, line: 1, column: 1, problem }] };
  }
  const names = reader.entries(reader.top).map(([name]) => name);
  const kind = detectKind(reader, names);
  if (kind === 'other') {
    const isConda = names.includes('channels') && names.includes('specs');
    reader.addError(
      reader.top,
      isConda
        ? 'is a conda constructor manifest (channels, specs); that tool uses the same file name'
        : 'is not a construct: it needs apiVersion: loa/v1 and kind: Construct',
    );
    return { kind, findings: reader.findings };
  }
  const construct = fillInSchemas(buildConstruct(reader, file, digest, kind));
  checkSchemaReferences(reader, construct, schemas);
  const isValid = reader.findings.every(({ severity }) => severity !== 'error');
  return {
    kind,
    ...(isValid ? { construct } : {}),
    findings: ['error' as const, 'warning' as const].flatMap((one) => pickFindings(reader.findings, one)),
  };
}

const maxFindings = 100;

/** The first findings of one severity, in the order of the file, and a count of the others. */
function pickFindings(all: ManifestFinding[], severity: ManifestFinding['severity']): ManifestFinding[] {
  const found = all.filter((one) => one.severity === severity).sort((a, b) => (a.line ?? 0) - (b.line ?? 0));
  const more = found.length - maxFindings;
  return more > 0 ? [...found.slice(0, maxFindings), { severity, where: '', problem: `and ${more} more` }] : found;
}

function detectKind(reader: YamlReader, names: string[]): ConstructReading['kind'] {
  const byName = new Map(reader.entries(reader.top));
  const read = (name: string): unknown => (byName.has(name) ? reader.plainValue(byName.get(name)!) : undefined);
  if (read('apiVersion') === 'loa/v1' && read('kind') === 'Construct') return 'construct';
  return names.includes('schema_version') && [3, 4, '3', '4'].includes(read('schema_version') as number) ? 'pack' : 'other';
}

function buildConstruct(reader: YamlReader, file: string, digest: string, kind: ConstructReading['kind']): Construct {
  const fields = reader.fields(reader.top, listPartKeys(ConstructFile));
  const metadata = reader.fields(fields.metadata, listPartKeys(MetadataPart));
  const execution = reader.fields(fields.execution, listPartKeys(ExecutionPart));
  const assessment = reader.fields(fields.assessment, listPartKeys(AssessmentPart));
  const { skills, declared } = readSkills(reader, fields.skills);
  const goal = readGoal(reader, assessment.goal);
  const phases = readPhases(
    reader,
    { order: execution.phases, phases: fields.phases, contracts: fields.contracts, gates: assessment.gates },
    declared,
    goal,
  );
  const redaction = reader.fields(assessment.redaction, listPartKeys(RedactionPart));
  const executor = readArgv(reader, execution.executor);
  const judge = readJudge(reader, assessment.judge);
  const maxConcurrency = reader.number(execution.max_concurrency, manifestLimits.concurrency);
  const lifecycleStage = reader.oneOf(fields.lifecycle_stage, stageNames);
  if (lifecycleStage === 'release')
    reader.addError(fields.lifecycle_stage, 'release needs provenance, which a run does not have', 'cleo lifecycle complete');
  const selection = reader.oneOf(assessment.selection, ['heuristic', 'judge', 'review', 'off']) ?? 'heuristic';
  const needsJudge = [goal, ...phases.map((phase) => phase.goal)].some((one) => one?.mode.startsWith('judge')) || selection === 'judge';
  if (needsJudge && !reader.isPresent(assessment.judge))
    reader.addWarning(fields.assessment, 'needs a judge, but none is configured; people review instead', 'set judge: {command: [...]}');
  if (kind === 'construct' && phases.length === 0) reader.addWarning(reader.top, 'has no phases, so there is nothing to run');
  return {
    file,
    sha256: digest,
    name: reader.text(metadata.name) ?? reader.text(fields.name) ?? 'construct',
    version: reader.text(metadata.version) ?? reader.text(fields.version) ?? '0.0.0',
    phases,
    handoffs: readHandoffs(reader, assessment.handoffs, phases),
    skills,
    type: reader.oneOf(execution.type, ['sequential', 'parallel']) ?? 'sequential',
    env: reader.texts(fields.env),
    credentials: reader.texts(fields.credentials),
    exitCodes: { ...readExitCodes(reader, fields.exit_codes), ...readExitCodes(reader, assessment.exit_codes) },
    capture: readCapture(reader, assessment.capture),
    goal,
    selection,
    reviewersRequired: reader.number(assessment.reviewers_required, manifestLimits.reviewers) ?? 1,
    redaction: { patterns: reader.texts(redaction.patterns), allow: reader.texts(redaction.allow) },
    ...defined({ maxConcurrency, executor, judge, lifecycleStage }),
  };
}

/** Known schemas by id: the sections of a document schema, undefined for a data schema. */
type KnownSchemas = ReadonlyMap<string, string[] | undefined>;

const needsSchema = ({ min_completeness, required_sections }: ArtifactSpec): boolean =>
  min_completeness !== null || required_sections !== null;

/** Fills in the schema of artifacts that have requirements but name no schema: a path has one schema in the whole construct. */
function fillInSchemas(construct: Construct): Construct {
  const { phases, handoffs } = construct;
  const declared = [...phases.flatMap(({ inputs, outputs }) => [...inputs, ...outputs]), ...handoffs.flatMap(({ required }) => required)];
  const schemas = new Map(declared.flatMap(({ path, schema }) => (schema === null ? [] : [[path, schema] as const])));
  const fillIn = (specs: ArtifactSpec[]): ArtifactSpec[] =>
    specs.map((spec) => (spec.schema === null && needsSchema(spec) ? { ...spec, schema: schemas.get(spec.path) ?? null } : spec));
  return {
    ...construct,
    phases: phases.map((phase) => ({ ...phase, inputs: fillIn(phase.inputs), outputs: fillIn(phase.outputs) })),
    handoffs: handoffs.map((handoff) => ({ ...handoff, required: fillIn(handoff.required), optional: fillIn(handoff.optional) })),
  };
}

/** Reports requirements that can never be met: sections that do not exist, and a completeness without a document schema. */
function checkSchemaReferences(reader: YamlReader, { phases, handoffs }: Construct, known: KnownSchemas): void {
  const artifacts = [
    ...phases.flatMap(({ name, inputs, outputs }) => [...inputs, ...outputs].map((spec) => ({ spec, where: name }))),
    ...handoffs.flatMap(({ from, to, required, optional }) =>
      [...required, ...optional].map((spec) => ({ spec, where: `${from}_to_${to}` })),
    ),
  ];
  const reported = new Set<string>();
  const report = (add: 'addError' | 'addWarning', where: string, problem: string, fix?: string): void => {
    if (reported.has(problem)) return;
    reported.add(problem);
    reader[add]({ ...reader.top, where }, problem, fix);
  };
  for (const { spec, where } of artifacts) {
    const { path, schema, required_sections: requiredSections } = spec;
    if (!needsSchema(spec) || (schema !== null && !known.has(schema))) continue;
    const sections = schema === null ? undefined : known.get(schema);
    if (schema === null)
      report('addWarning', where, `${path} has no schema, so its completeness cannot be measured`, 'set one: schema: prd-v1');
    else if (!sections) report('addError', where, `${schema} is a data schema: ${path} has no completeness`, 'remove min_completeness');
    else
      for (const name of Array.isArray(requiredSections) ? requiredSections.filter((one) => !sections.includes(one)) : []) {
        const [suggestion] = findNearest(name, sections, 1);
        report('addError', where, `${schema} has no section ${JSON.stringify(name)}`, `did you mean ${suggestion ?? sections[0]}?`);
      }
  }
}

/** A value of a manifest and its dotted path. `raw` is undefined for a key that is absent. */
export interface YamlNode {
  raw: Node | undefined;
  where: string;
}

/** Reads typed values from a manifest. A wrong value is recorded as a finding with its line and read as absent, so that one pass
 *  reports all errors. */
export interface YamlReader {
  top: YamlNode;
  findings: ManifestFinding[];
  isPresent(node: YamlNode): boolean;
  /** The values of a map with known keys. An unknown key is a warning that suggests the nearest known one. */
  fields<K extends string>(node: YamlNode, known: readonly K[]): Record<K, YamlNode>;
  /** The entries of a map whose keys the author chooses. */
  entries(node: YamlNode): [name: string, value: YamlNode][];
  items(node: YamlNode): YamlNode[];
  isMap(node: YamlNode): boolean;
  isList(node: YamlNode): boolean;
  text(node: YamlNode): string | undefined;
  /** A list of strings, or one string. */
  texts(node: YamlNode): string[];
  number(node: YamlNode, limits: { min: number; max: number; whole?: true }): number | undefined;
  boolean(node: YamlNode): boolean | undefined;
  oneOf<T extends string>(node: YamlNode, known: readonly T[]): T | undefined;
  /** The id of a known schema. An unknown id is an error, because a check against it could never pass. */
  schema(node: YamlNode, id?: string): string | undefined;
  addError(node: YamlNode, problem: string, fix?: string): void;
  addWarning(node: YamlNode, problem: string, fix?: string): void;
  plainValue(node: YamlNode): unknown;
}

/** Enough for manifests written by hand; an alias bomb needs more. */
const maxAliases = 100;

export function createYamlReader(yaml: string, schemas: readonly string[] = []): YamlReader {
  const lines = new LineCounter();
  // `uniqueKeys` is off because the parser compares every key with all others, which takes minutes for many keys.
  const doc = parseYamlDocument(yaml, { lineCounter: lines, logLevel: 'error', uniqueKeys: false, merge: true });
  const findings: ManifestFinding[] = [];
  const addFinding = (
    severity: ManifestFinding['severity'],
    where: string,
    offset: number | undefined,
    problem: string,
    fix?: string,
  ): void => {
    const at = offset === undefined ? undefined : lines.linePos(offset);
    findings.push({ severity, where, ...defined({ line: at?.line, column: at?.col }), problem, ...defined({ fix }) });
  };
  for (const { pos, message, code } of doc.errors)
    addFinding(
      'error',
      '',
      pos[0],
      code === 'MULTIPLE_DOCS' ? 'has a second document; use one document per file' : formatParserError(message),
    );
  if (findings.length === 0) {
    for (const key of findDuplicateKeys(doc)) addFinding('error', '', key.range?.[0], `${formatKey(key)} is declared twice`);
    const problem = checkAliases(doc);
    if (problem !== undefined) addFinding('error', '', 0, problem);
  }
  const top: YamlNode = { raw: findings.length > 0 ? undefined : (doc.contents ?? undefined), where: '' };

  const resolve = ({ raw }: YamlNode): Node | undefined => (isAlias(raw) ? raw.resolve(doc) : raw) ?? undefined;
  const addError = (node: YamlNode, problem: string, fix?: string): void =>
    addFinding('error', node.where, node.raw?.range?.[0], problem, fix);
  const addWarning = (node: YamlNode, problem: string, fix?: string): void =>
    addFinding('warning', node.where, node.raw?.range?.[0], problem, fix);
  const isPresent = (node: YamlNode): boolean => {
    const raw = resolve(node);
    return raw !== undefined && !(isScalar(raw) && raw.value === null);
  };
  const reject = (node: YamlNode, expected: string): undefined => {
    if (isPresent(node)) addError(node, `must be ${expected}`);
    return undefined;
  };
  const readScalar = (node: YamlNode): unknown => {
    const raw = resolve(node);
    return isScalar(raw) ? raw.value : undefined;
  };
  const entries = (node: YamlNode): [string, YamlNode][] => {
    const raw = resolve(node);
    if (!isMap(raw)) return reject(node, 'a map') ?? [];
    const own = new Map<string, YamlNode>();
    const mergedIn: [string, YamlNode][] = [];
    for (const { key, value } of raw.items as Pair<Node, Node | null>[]) {
      const name = formatKey(key);
      const at = { raw: value ?? key, where: joinPath(node, name) };
      if (name === mergeKey) mergedIn.push(...(isList(at) ? items(at) : [at]).flatMap((one) => entries({ ...one, where: node.where })));
      else own.set(name, at);
    }
    // Own keys win over merged ones, and among merged maps the first wins.
    for (const [name, at] of mergedIn) if (!own.has(name)) own.set(name, at);
    return [...own];
  };
  const text = (node: YamlNode): string | undefined => {
    const value = readScalar(node);
    return typeof value === 'string' ? value : reject(node, 'a string; put it in quotes');
  };
  const items = (node: YamlNode): YamlNode[] => {
    const raw = resolve(node);
    if (!isSeq(raw)) return reject(node, 'a list') ?? [];
    return raw.items.map((item, i) => ({ raw: item as Node, where: `${node.where}[${i}]` }));
  };
  const isList = (node: YamlNode): boolean => isSeq(resolve(node));
  return {
    top,
    findings,
    addError,
    addWarning,
    isPresent,
    entries,
    items,
    text,
    isList,
    isMap: (node) => isMap(resolve(node)),
    fields(node, known) {
      const found = isPresent(node) ? entries(node) : [];
      const names: readonly string[] = known;
      for (const [name, at] of found)
        if (!names.includes(name)) {
          const [suggestion] = findNearest(name, [...names], 1);
          addWarning(at, `unknown key ${JSON.stringify(name)} is ignored`, suggestion && `did you mean ${suggestion}?`);
        }
      const byName = new Map(found);
      return Object.fromEntries(names.map((name) => [name, byName.get(name) ?? { raw: undefined, where: joinPath(node, name) }])) as Record<
        (typeof known)[number],
        YamlNode
      >;
    },
    texts: (node) => {
      if (!isPresent(node)) return [];
      return (isList(node) ? items(node) : [node]).flatMap((one) => text(one) ?? []);
    },
    number(node, { min, max, whole }) {
      const value = readScalar(node);
      const isValid = typeof value === 'number' && value >= min && value <= max && (!whole || Number.isInteger(value));
      return isValid ? value : reject(node, `a ${whole ? 'whole ' : ''}number from ${min} to ${max}`);
    },
    boolean(node) {
      const value = readScalar(node);
      return typeof value === 'boolean' ? value : reject(node, 'true or false');
    },
    oneOf(node, known) {
      const value = readScalar(node);
      const choices: readonly unknown[] = known;
      return choices.includes(value) ? (value as (typeof known)[number]) : reject(node, `one of ${known.join(', ')}`);
    },
    schema(node, id = text(node)) {
      if (id === undefined || schemas.includes(id)) return id;
      const [suggestion] = findNearest(id, [...schemas], 1);
      const fix = suggestion ? `did you mean ${suggestion}?` : `write .cleo/schemas/${id}.doc.yaml`;
      addError(node, `there is no schema ${JSON.stringify(id)}`, fix);
      return id;
    },
    plainValue: (node) => resolve(node)?.toJS(doc, { maxAliasCount: maxAliases }),
  };
}

const mergeKey = '<<';
const formatKey = (key: Node): string => (isScalar(key) ? String(key.source ?? key.value) : String(key));
const joinPath = ({ where }: YamlNode, name: string): string => (where ? `${where}.${name}` : name);

function findDuplicateKeys(doc: Document): Node[] {
  const found: Node[] = [];
  visit(doc, {
    Map(_, { items }) {
      const seen = new Set<string>();
      for (const { key } of items as Pair<Node>[]) {
        const name = isScalar(key) ? String(key.value) : undefined;
        if (name === undefined || formatKey(key) === mergeKey) continue;
        if (seen.has(name)) found.push(key);
        seen.add(name);
      }
    },
  });
  return found;
}

/** Reports an alias that does not resolve, or so many aliases that they would expand to a bomb. */
function checkAliases(doc: Document): string | undefined {
  try {
    doc.toJS({ maxAliasCount: maxAliases });
    return undefined;
  } catch (error) {
    return formatParserError((error as Error).message);
  }
}

/** The first line of the parser's message. A stack overflow is reported as what causes it. */
const formatParserError = (message: string): string =>
  /call stack/.test(message) ? 'is nested too deeply' : message.split('\n')[0]!.trim();
