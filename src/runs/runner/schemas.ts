import { isMap } from '#lib/is-map.ts';
import { skillRefusal } from '../errors/skill.ts';
import type { DocSchema } from '../model/doc-schema.ts';
import { builtInSchemas } from '../rules/document/schemas.ts';
import type { Schemas } from './found.ts';

export interface AllSchemas extends Schemas {
  ids(): string[];
}

/** Schemas of documents: ours, and before them what a project keeps in `.cleo/schemas`. Compiling one costs; most runs compile none. */
export async function schemasOf(
  own: { name: string; text: string }[],
  { isMeasuring }: { isMeasuring: boolean } = { isMeasuring: true },
): Promise<AllSchemas> {
  const documents = new Map(builtInSchemas.map((schema) => [schema.id, schema]));
  const json = new Map<string, Record<string, unknown>>();
  // YAML and what compiles schemas are ten times the rest; only who brings a schema pays for them.
  const yaml = own.length > 0 ? { ...(await import('../rules/document/read-schema.ts')), ...(await import('./yaml.ts')) } : undefined;
  const reading = isMeasuring ? await import('./documents.ts') : undefined;
  const from = new Map<string, string>();
  for (const { name, text } of own) {
    if (name.endsWith('.doc.yaml')) {
      const read = yaml!.readDocSchema(name, text);
      if ('problem' in read) throw skillRefusal(78, `.cleo/schemas/${name}: ${read.problem}`, 'cleo construct validate', { file: name });
      const other = from.get(read.id);
      if (other !== undefined)
        throw skillRefusal(78, `.cleo/schemas: ${other} and ${name} are both ${read.id}`, 'cleo construct validate', { file: name });
      from.set(read.id, name);
      documents.set(read.id, read);
    } else if (name.endsWith('.schema.json')) json.set(name.slice(0, -'.schema.json'.length), readJson(name, text));
  }
  const needsCompiler = json.size > 0 || [...documents.values()].some(({ frontMatter }) => frontMatter !== undefined);
  const compile = needsCompiler ? (await import('./json-schema.ts')).compile : undefined;
  const compiled = new Map<string, (value: unknown) => string[]>();
  const schemas: AllSchemas = {
    ids: () => [...documents.keys(), ...json.keys()].sort(),
    document: (id): DocSchema | undefined => documents.get(id),
    json: (id) => json.get(id),
    check(schema, value) {
      const key = JSON.stringify(schema);
      const check = compiled.get(key) ?? compiling(compile, schema);
      compiled.set(key, check);
      return check(value);
    },
    parseYaml: (text) => yaml?.parseYaml(text, { maxAliasCount: 0 }),
    measure(text, schema) {
      if (!reading) throw new Error('nobody said that documents are to be measured');
      return reading.measure(schemas, schema, text);
    },
  };
  return schemas;
}

function compiling(compile: typeof import('./json-schema.ts').compile | undefined, schema: Record<string, unknown>) {
  try {
    return compile?.(schema) ?? (() => []);
  } catch (error) {
    const problem = `a schema of .cleo/schemas is none: ${(error as Error).message}`;
    throw skillRefusal(78, problem, 'cleo construct validate', { schema: schema.$id ?? schema.title ?? null });
  }
}

function readJson(name: string, text: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(text.replace(/^\ufeff/, ''));
  } catch {
    throw skillRefusal(78, `.cleo/schemas/${name} is no JSON`, 'cleo construct validate', { file: name });
  }
  if (isMap(value)) return value;
  throw skillRefusal(78, `.cleo/schemas/${name} is no schema`, 'cleo construct validate', { file: name });
}
