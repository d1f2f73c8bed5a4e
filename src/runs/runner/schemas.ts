import { isPlainObject } from '#lib/is-plain-object.ts';
import { parseJson, stripBom } from '#lib/parse-json.ts';
import { createSkillError } from '../errors/skill.ts';
import type { ArtifactFile } from '../model/artifact.ts';
import type { Construct } from '../model/construct.ts';
import type { DocSchema } from '../model/doc-schema.ts';
import { builtInSchemas } from '../rules/document/schemas.ts';

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
