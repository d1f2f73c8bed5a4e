import { groupBy } from '#lib/collections.ts';
import { findNearest } from '#lib/nearest.ts';
import type { ArtifactSpec, CheckSpec, HandoffSpec, PhaseSpec } from '../../model/construct.ts';
import { ArtifactPart, HandoffPart, listPartKeys, manifestLimits, ValidationPart } from '../../model/construct-file.ts';
import { findManifestPathProblem } from './conventions.ts';
import type { YamlNode, YamlReader } from './read.ts';

const optionalMark = / \(optional\)$/;

/** Reads a list of artifacts: a path, which may end with `(optional)`, or a map with a path and its requirements. */
export function readArtifacts(reader: YamlReader, node: YamlNode): ArtifactSpec[] {
  if (!reader.isPresent(node)) return [];
  return reader.items(node).flatMap((item) => readArtifact(reader, item) ?? []);
}

function readArtifact(reader: YamlReader, node: YamlNode): ArtifactSpec | undefined {
  if (!reader.isMap(node)) {
    const path = reader.text(node);
    return path === undefined ? undefined : toArtifactSpec(reader, node, path, {});
  }
  const at = reader.fields(node, listPartKeys(ArtifactPart));
  const path = reader.text(at.path);
  if (path === undefined) {
    if (!reader.isPresent(at.path)) reader.addError(node, 'needs a path');
    return undefined;
  }
  return toArtifactSpec(reader, at.path, path, { ...readQuality(reader, at), required: reader.boolean(at.required) });
}

/** The requirements on the content of an artifact. */
type ArtifactQuality = Pick<ArtifactSpec, 'schema' | 'min_completeness' | 'required_sections'>;

export function readQuality(reader: YamlReader, at: Record<keyof ArtifactQuality, YamlNode>): ArtifactQuality {
  return {
    schema: reader.schema(at.schema) ?? null,
    min_completeness: reader.number(at.min_completeness, manifestLimits.share) ?? null,
    required_sections: readSections(reader, at.required_sections),
  };
}

/** Fills in requirements that the artifact does not set itself. */
export const applyQuality = (spec: ArtifactSpec, quality: ArtifactQuality): ArtifactSpec => ({
  ...spec,
  schema: spec.schema ?? quality.schema,
  min_completeness: spec.min_completeness ?? quality.min_completeness,
  required_sections: spec.required_sections ?? quality.required_sections,
});

function readSections(reader: YamlReader, node: YamlNode): ArtifactSpec['required_sections'] {
  if (!reader.isPresent(node)) return null;
  if (reader.isList(node)) return reader.texts(node);
  return reader.boolean(node) ? true : null;
}

function toArtifactSpec(
  reader: YamlReader,
  node: YamlNode,
  text: string,
  options: Partial<Omit<ArtifactSpec, 'required'>> & { required?: boolean | undefined },
): ArtifactSpec | undefined {
  const path = text.replace(optionalMark, '').trim();
  const problem = findManifestPathProblem(path);
  if (problem) {
    reader.addError(node, `${JSON.stringify(path)} ${problem}`);
    return undefined;
  }
  return {
    path,
    schema: options.schema ?? null,
    required: optionalMark.test(text) ? false : (options.required ?? true),
    min_completeness: options.min_completeness ?? null,
    required_sections: options.required_sections ?? null,
  };
}

/** Merges artifacts with the same path into one with the stricter requirements of both. */
export function mergeArtifacts(specs: ArtifactSpec[]): { artifacts: ArtifactSpec[]; conflicts: { path: string; schemas: string[] }[] } {
  const byPath = new Map<string, ArtifactSpec>();
  const conflicts: { path: string; schemas: string[] }[] = [];
  for (const spec of specs) {
    const existing = byPath.get(spec.path);
    if (!existing) {
      byPath.set(spec.path, spec);
      continue;
    }
    if (existing.schema && spec.schema && existing.schema !== spec.schema)
      conflicts.push({ path: spec.path, schemas: [existing.schema, spec.schema] });
    byPath.set(spec.path, {
      path: spec.path,
      schema: existing.schema ?? spec.schema,
      required: existing.required || spec.required,
      min_completeness: pickLarger(existing.min_completeness, spec.min_completeness),
      required_sections: existing.required_sections ?? spec.required_sections,
    });
  }
  return { artifacts: [...byPath.values()], conflicts };
}

const pickLarger = (a: number | null, b: number | null): number | null => (a === null ? b : b === null ? a : Math.max(a, b));

export const reportSchemaConflict = (reader: YamlReader, node: YamlNode, path: string, schemas: string[]): void =>
  reader.addError(node, `${path} has two schemas: ${schemas.join(' and ')}`);

const onFailure = ['block', 'warn', 'skip'] as const;

/** Reads the handoffs between phases, which are keyed `A_to_B`. */
export function readHandoffs(reader: YamlReader, node: YamlNode, phases: PhaseSpec[]): HandoffSpec[] {
  if (!reader.isPresent(node)) return [];
  const names = phases.map(({ name }) => name);
  const schemas = new Map(phases.flatMap(({ inputs, outputs }) => [...inputs, ...outputs]).map(({ path, schema }) => [path, schema]));
  const found = new Map<string, HandoffSpec>();
  for (const [key, value] of reader.entries(node)) {
    const handoff = readHandoff(reader, key, value, names);
    if (!handoff) continue;
    const { from, to, required, optional } = handoff;
    const pair = `${from} to ${to}`;
    if (found.has(pair)) reader.addError(value, `${pair} is declared twice`);
    if (from === to) reader.addError(value, `${from} hands off to itself`);
    else if (names.indexOf(from) > names.indexOf(to)) reader.addWarning(value, `${from} hands off to ${to}, which runs before it`);
    for (const { path, schema } of [...required, ...optional]) {
      const other = schemas.get(path);
      if (schema && other && schema !== other) reportSchemaConflict(reader, value, path, [other, schema]);
    }
    found.set(pair, handoff);
  }
  return [...found.values()];
}

function readHandoff(reader: YamlReader, key: string, node: YamlNode, phases: string[]): HandoffSpec | undefined {
  const at = reader.fields(node, listPartKeys(HandoffPart));
  const pair = readPhasePair(reader, key, node, at, phases);
  if (!pair) return undefined;
  const quality = readQuality(reader, reader.fields(at.validation, listPartKeys(ValidationPart)));
  const listed = [...readArtifacts(reader, at.required_artifacts), ...readArtifacts(reader, at.requires)];
  return {
    ...pair,
    required: listed.filter((spec) => spec.required).map((spec) => applyQuality(spec, quality)),
    optional: [
      ...listed.filter((spec) => !spec.required),
      ...readArtifacts(reader, at.optional_artifacts).map((spec) => ({ ...spec, required: false })),
    ],
    onFailure: reader.oneOf(at.on_failure, onFailure) ?? reader.oneOf(at.on_missing, onFailure) ?? 'block',
  };
}

/** Splits a key into two phases. A phase name may contain `_to_`, so every split is tried and exactly one must match. */
function readPhasePair(
  reader: YamlReader,
  key: string,
  node: YamlNode,
  at: Record<'from' | 'to', YamlNode>,
  phases: string[],
): { from: string; to: string } | undefined {
  if (reader.isPresent(at.from) || reader.isPresent(at.to)) {
    const [from, to] = [reader.text(at.from), reader.text(at.to)];
    const unknown = [from, to].find((name) => name === undefined || !phases.includes(name));
    if (from !== undefined && to !== undefined && phases.includes(from) && phases.includes(to)) return { from, to };
    reader.addError(node, unknown === undefined ? 'needs from and to' : `there is no phase ${JSON.stringify(unknown)}`);
    return undefined;
  }
  const parts = key.split('_to_');
  const splits = parts
    .slice(1)
    .map((_, i) => ({ from: parts.slice(0, i + 1).join('_to_'), to: parts.slice(i + 1).join('_to_') }))
    .filter(({ from, to }) => phases.includes(from) && phases.includes(to));
  if (splits.length === 1) return splits[0];
  reader.addError(
    node,
    splits.length === 0
      ? `${JSON.stringify(key)} does not name two phases`
      : `${JSON.stringify(key)} can be split in ${splits.length} ways`,
    'set from: and to:',
  );
  return undefined;
}

const checksWithoutValue = ['context_files_exist', 'operator_detected', 'git_clean'] as const;
const checksWithValue = ['exists', 'env', 'command'] as const;

/** The artifacts of all phases by file name without extension. */
export type DocumentIndex = Map<string, ArtifactSpec[]>;

export const indexByBaseName = (specs: ArtifactSpec[]): DocumentIndex => groupBy(specs, ({ path }) => getBaseName(path));

/** Reads named checks. An unknown name is an error and not a warning, because such a check would never pass. */
export function readChecks(reader: YamlReader, node: YamlNode, documents: DocumentIndex): CheckSpec[] {
  if (!reader.isPresent(node)) return [];
  return reader.items(node).flatMap((item) => {
    if (!reader.isMap(item)) {
      const name = reader.text(item);
      return name === undefined ? [] : (readNamedCheck(reader, item, name, documents) ?? []);
    }
    const [first, ...others] = reader.entries(item);
    if (!first || others.length > 0) {
      reader.addError(item, 'must be one check: a name with its value');
      return [];
    }
    return readCheckWithValue(reader, item, first[0], first[1], documents) ?? [];
  });
}

function readNamedCheck(reader: YamlReader, node: YamlNode, name: string, documents: DocumentIndex): CheckSpec | undefined {
  const known = checksWithoutValue.find((one) => one === name);
  if (known) return { kind: known, name };
  const id = /^(.+)_exists$/.exec(name)?.[1];
  if (id !== undefined) return { kind: 'exists', name, path: resolveDocument(reader, node, id, documents).path };
  return reportUnknownCheck(reader, node, name);
}

function readCheckWithValue(
  reader: YamlReader,
  node: YamlNode,
  name: string,
  value: YamlNode,
  documents: DocumentIndex,
): CheckSpec | undefined {
  if (name === 'exists') {
    const path = reader.text(value);
    const problem = path === undefined ? undefined : findManifestPathProblem(path);
    if (problem) reader.addError(value, `${JSON.stringify(path)} ${problem}`);
    return path === undefined || problem ? undefined : { kind: 'exists', name, path };
  }
  if (name === 'env') {
    const variable = reader.text(value);
    return variable === undefined ? undefined : { kind: 'env', name, variable };
  }
  if (name === 'command') {
    const argv = reader.isList(value) ? reader.texts(value) : [];
    if (argv.length === 0) reader.addError(value, 'must be a list: the program and its arguments');
    return argv.length === 0 ? undefined : { kind: 'command', name, argv, timeoutMs: 30_000 };
  }
  const id = /^(.+)_completeness$/.exec(name)?.[1];
  if (id === undefined) return reportUnknownCheck(reader, node, name);
  const min = reader.number(value, manifestLimits.share);
  const { path, schema } = resolveDocument(reader, node, id, documents);
  return min === undefined ? undefined : { kind: 'completeness', name, path, schema: schema ?? reader.schema(node, `${id}-v1`)!, min };
}

function reportUnknownCheck(reader: YamlReader, node: YamlNode, name: string): undefined {
  const [suggestion] = findNearest(name, [...checksWithoutValue, ...checksWithValue], 1);
  reader.addError(node, `there is no check ${JSON.stringify(name)}`, suggestion ? `did you mean ${suggestion}?` : undefined);
}

/** Resolves an id such as `prd` to the declared artifact with that file name, or else to the conventional path of project documents. */
function resolveDocument(
  reader: YamlReader,
  node: YamlNode,
  id: string,
  documents: DocumentIndex,
): { path: string; schema: string | null } {
  const named = documents.get(id) ?? [];
  const paths = [...new Set(named.map(({ path }) => path))];
  if (paths.length > 1) reader.addError(node, `${JSON.stringify(id)} is ambiguous: ${paths.join(', ')}`, 'use the path: exists: path');
  return { path: paths[0] ?? `grimoires/{project}/${id}.md`, schema: named.find(({ schema }) => schema !== null)?.schema ?? null };
}

const getBaseName = (path: string): string =>
  path
    .split('/')
    .at(-1)!
    .replace(/\.[^.]*$/, '');

/** Reports paths that have different schemas in different phases. */
export function checkSchemaConflicts(reader: YamlReader, node: YamlNode, drafts: Pick<PhaseSpec, 'inputs' | 'outputs'>[]): void {
  const { conflicts } = mergeArtifacts(drafts.flatMap(({ inputs, outputs }) => [...inputs, ...outputs]));
  for (const { path, schemas } of conflicts) reportSchemaConflict(reader, node, path, schemas);
}

/** Reads a program and its arguments. */
export function readArgv(reader: YamlReader, node: YamlNode): string[] | undefined {
  if (!reader.isPresent(node)) return undefined;
  const argv = reader.isList(node) ? reader.texts(node) : [];
  if (argv.length === 0 || argv[0] === '') reader.addError(node, 'must be a list: the program and its arguments');
  return argv.length === 0 || argv[0] === '' ? undefined : argv;
}
