import { contentTypeOf } from '#lib/content-type.ts';
import type { Ground, SeenFile } from '#platform/ground-port.ts';
import type { ArtifactSpec } from '../model/construct.ts';
import type { DocSchema } from '../model/doc-schema.ts';
import type { FoundArtifact, FoundFile } from '../model/found.ts';
import { expand } from '../rules/construct/variables.ts';

/** Looks at what an artifact stands for: whether it is there, and how complete it is as a document. */
export interface Lookout {
  find(spec: ArtifactSpec, vars: Record<string, string>): FoundArtifact;
}

export interface Schemas {
  document(id: string): DocSchema | undefined;
  json(id: string): Record<string, unknown> | undefined;
  /** What is wrong with a value by a schema; empty where nothing is. */
  check(schema: Record<string, unknown>, value: unknown): string[];
  parseYaml(text: string): unknown;
  /** How complete a document is, and what is wrong with it beside that. */
  measure(text: string, schema: DocSchema): Pick<FoundFile, 'completeness' | 'problems'>;
}

/** No document that people write is larger. */
const largestDocument = 16 * 2 ** 20;

export function lookoutOf(ground: Ground, schemas: Schemas): Lookout {
  return {
    find(spec, vars) {
      const own = { ...spec, path: expand(spec.path, vars) };
      const { files, isCut } = ground.look(own.path);
      return { spec: own, files: files.map((file) => examine(ground, schemas, file, own.schema)), ...(isCut ? { isCut } : {}) };
    },
  };
}

function examine(ground: Ground, schemas: Schemas, { path, kind, size }: SeenFile, schemaId: string | null): FoundFile {
  const base = { path, kind, size, sha256: '', contentType: contentTypeOf(path), problems: [] };
  if (kind !== 'file') return base;
  const file: FoundFile = { ...base, sha256: ground.digest(path) };
  const schema = schemaId === null ? undefined : schemas.document(schemaId);
  const form = schemaId === null ? undefined : schemas.json(schemaId);
  if ((!schema && !form) || size === 0) return file;
  if (size > largestDocument) return { ...file, problems: ['is larger than any document'] };
  const text = textOf(ground.read(path));
  if (text === undefined) return { ...file, problems: ['is no UTF-8 text'] };
  if (!schema) return { ...file, problems: valueProblems(schemas, form!, text, path) };
  return { ...file, ...schemas.measure(text, schema) };
}

/** Of data, where the schema is one of data. */
function valueProblems(schemas: Schemas, form: Record<string, unknown>, text: string, path: string): string[] {
  let value: unknown;
  try {
    const plain = text.replace(/^\ufeff/, '');
    value = /\.ya?ml$/i.test(path) ? schemas.parseYaml(plain) : JSON.parse(plain);
  } catch {
    return [`is no ${/\.ya?ml$/i.test(path) ? 'YAML' : 'JSON'}`];
  }
  return schemas.check(form, value);
}

/** Undefined where the bytes are no text. */
export function textOf(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
