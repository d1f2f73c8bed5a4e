import type { ArtifactSpec, HandoffSpec, Phase } from '../../model/construct.ts';
import { HandoffPart, keysOf, ValidationPart } from '../../model/construct-file.ts';
import { readArtifacts, readQuality, tellClash } from './artifacts.ts';
import type { Reader, Spot } from './spot.ts';

const onFailure = ['block', 'warn', 'skip'] as const;

/** What one phase hands to the next, under `A_to_B`. */
export function readHandoffs(reader: Reader, spot: Spot, phases: Phase[]): HandoffSpec[] {
  if (!reader.isThere(spot)) return [];
  const names = phases.map(({ name }) => name);
  const schemas = new Map(phases.flatMap(({ inputs, outputs }) => [...inputs, ...outputs]).map(({ path, schema }) => [path, schema]));
  const found = new Map<string, HandoffSpec>();
  for (const [key, value] of reader.entries(spot)) {
    const handoff = readHandoff(reader, key, value, names);
    if (!handoff) continue;
    const { from, to, required, optional } = handoff;
    const pair = `${from} to ${to}`;
    if (found.has(pair)) reader.error(value, `${pair} is declared twice`);
    if (from === to) reader.error(value, `${from} hands on to itself`);
    else if (names.indexOf(from) > names.indexOf(to)) reader.warning(value, `${from} hands on to ${to}, which runs before it`);
    for (const { path, schema } of [...required, ...optional]) {
      const other = schemas.get(path);
      if (schema && other && schema !== other) tellClash(reader, value, path, [other, schema]);
    }
    found.set(pair, handoff);
  }
  return [...found.values()];
}

function readHandoff(reader: Reader, key: string, spot: Spot, phases: string[]): HandoffSpec | undefined {
  const at = reader.fields(spot, keysOf(HandoffPart));
  const pair = pairOf(reader, key, spot, at, phases);
  if (!pair) return undefined;
  const validation = reader.fields(at.validation, keysOf(ValidationPart));
  const asked = readQuality(reader, validation);
  const quality = (spec: ArtifactSpec): ArtifactSpec => ({
    ...spec,
    schema: spec.schema ?? asked.schema,
    min_completeness: spec.min_completeness ?? asked.min_completeness,
    required_sections: spec.required_sections ?? asked.required_sections,
  });
  const listed = [...readArtifacts(reader, at.required_artifacts), ...readArtifacts(reader, at.requires)];
  return {
    ...pair,
    required: listed.filter((spec) => spec.required).map(quality),
    optional: [
      ...listed.filter((spec) => !spec.required),
      ...readArtifacts(reader, at.optional_artifacts).map((spec) => ({ ...spec, required: false })),
    ],
    onFailure: reader.oneOf(at.on_failure, onFailure) ?? reader.oneOf(at.on_missing, onFailure) ?? 'block',
  };
}

/** A phase may have `_to_` in its name: every split is tried, and one must fit. */
function pairOf(
  reader: Reader,
  key: string,
  spot: Spot,
  at: Record<'from' | 'to', Spot>,
  phases: string[],
): { from: string; to: string } | undefined {
  if (reader.isThere(at.from) || reader.isThere(at.to)) {
    const [from, to] = [reader.text(at.from), reader.text(at.to)];
    const lost = [from, to].find((name) => name === undefined || !phases.includes(name));
    if (from !== undefined && to !== undefined && phases.includes(from) && phases.includes(to)) return { from, to };
    reader.error(spot, lost === undefined ? 'needs from and to' : `there is no phase ${JSON.stringify(lost)}`);
    return undefined;
  }
  const parts = key.split('_to_');
  const splits = parts
    .slice(1)
    .map((_, i) => ({ from: parts.slice(0, i + 1).join('_to_'), to: parts.slice(i + 1).join('_to_') }))
    .filter(({ from, to }) => phases.includes(from) && phases.includes(to));
  if (splits.length === 1) return splits[0];
  reader.error(
    spot,
    splits.length === 0 ? `${JSON.stringify(key)} names no two phases` : `${JSON.stringify(key)} can be split in ${splits.length} ways`,
    'say from: and to:',
  );
  return undefined;
}
