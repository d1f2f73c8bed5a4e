import type { ArtifactSpec } from '../../model/construct.ts';
import { ArtifactPart, listPartKeys, manifestLimits } from '../../model/construct-file.ts';
import { findManifestPathProblem } from './names.ts';
import type { YamlNode, YamlReader } from './yaml-reader.ts';

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
