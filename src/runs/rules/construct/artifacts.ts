import type { ArtifactSpec } from '../../model/construct.ts';
import { ArtifactPart, keysOf, limits } from '../../model/construct-file.ts';
import { pathProblem } from './names.ts';
import type { Reader, Spot } from './spot.ts';

const optionalMark = / \(optional\)$/;

/** A path, with `(optional)` behind it where it need not be there; or a map that says more of it. */
export function readArtifacts(reader: Reader, spot: Spot): ArtifactSpec[] {
  if (!reader.isThere(spot)) return [];
  return reader.items(spot).flatMap((item) => readArtifact(reader, item) ?? []);
}

function readArtifact(reader: Reader, spot: Spot): ArtifactSpec | undefined {
  if (!reader.isMap(spot)) {
    const path = reader.text(spot);
    return path === undefined ? undefined : artifact(reader, spot, path, {});
  }
  const at = reader.fields(spot, keysOf(ArtifactPart));
  const path = reader.text(at.path);
  if (path === undefined) {
    if (!reader.isThere(at.path)) reader.error(spot, 'needs a path');
    return undefined;
  }
  return artifact(reader, at.path, path, { ...readQuality(reader, at), required: reader.flag(at.required) });
}

/** What is asked of a document beside being there. */
export function readQuality(
  reader: Reader,
  at: Record<'schema' | 'min_completeness' | 'required_sections', Spot>,
): Pick<ArtifactSpec, 'schema' | 'min_completeness' | 'required_sections'> {
  return {
    schema: reader.schema(at.schema) ?? null,
    min_completeness: reader.number(at.min_completeness, limits.share) ?? null,
    required_sections: readSections(reader, at.required_sections),
  };
}

function readSections(reader: Reader, spot: Spot): ArtifactSpec['required_sections'] {
  if (!reader.isThere(spot)) return null;
  if (reader.isList(spot)) return reader.texts(spot);
  return reader.flag(spot) ? true : null;
}

function artifact(
  reader: Reader,
  spot: Spot,
  written: string,
  more: Partial<Omit<ArtifactSpec, 'required'>> & { required?: boolean | undefined },
): ArtifactSpec | undefined {
  const path = written.replace(optionalMark, '').trim();
  const problem = pathProblem(path);
  if (problem) {
    reader.error(spot, `${JSON.stringify(path)} ${problem}`);
    return undefined;
  }
  return {
    path,
    schema: more.schema ?? null,
    required: optionalMark.test(written) ? false : (more.required ?? true),
    min_completeness: more.min_completeness ?? null,
    required_sections: more.required_sections ?? null,
  };
}

/** Two sources that speak of one path are one artifact: the stricter of each. */
export function merged(specs: ArtifactSpec[]): { artifacts: ArtifactSpec[]; clashes: { path: string; schemas: string[] }[] } {
  const byPath = new Map<string, ArtifactSpec>();
  const clashes: { path: string; schemas: string[] }[] = [];
  for (const spec of specs) {
    const known = byPath.get(spec.path);
    if (!known) {
      byPath.set(spec.path, spec);
      continue;
    }
    if (known.schema && spec.schema && known.schema !== spec.schema)
      clashes.push({ path: spec.path, schemas: [known.schema, spec.schema] });
    byPath.set(spec.path, {
      path: spec.path,
      schema: known.schema ?? spec.schema,
      required: known.required || spec.required,
      min_completeness: larger(known.min_completeness, spec.min_completeness),
      required_sections: known.required_sections ?? spec.required_sections,
    });
  }
  return { artifacts: [...byPath.values()], clashes };
}

const larger = (a: number | null, b: number | null): number | null => (a === null ? b : b === null ? a : Math.max(a, b));

export const tellClash = (reader: Reader, spot: Spot, path: string, schemas: string[]): void =>
  reader.error(spot, `${path} has two schemas: ${schemas.join(' and ')}`);
