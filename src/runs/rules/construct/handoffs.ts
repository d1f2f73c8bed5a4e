import type { HandoffSpec, PhaseSpec } from '../../model/construct.ts';
import { HandoffPart, listPartKeys, ValidationPart } from '../../model/construct-file.ts';
import { applyQuality, readArtifacts, readQuality, reportSchemaConflict } from './artifacts.ts';
import type { YamlNode, YamlReader } from './yaml-reader.ts';

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
