import { configKeys, greatestCount, namePattern, openGroups, openName, slugPattern } from './config.ts';

interface Node {
  type?: string;
  description?: string;
  properties?: Record<string, Node>;
  [keyword: string]: unknown;
}

/** The configuration as a JSON Schema, with which editors complete and check the file. */
export function configSchema(): Node {
  const properties: Record<string, Node> = { $schema: { type: 'string' } };
  for (const [key, { type, default: fallback, about }] of Object.entries(configKeys)) {
    put(properties, key, { ...forms(type), default: fallback, description: about });
  }
  for (const [group, { type, about }] of Object.entries(openGroups))
    put(properties, group, {
      type: 'object',
      description: about,
      patternProperties: { [openName.source]: forms(type) },
      additionalProperties: false,
    });
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'CLEO configuration',
    description: '.cleo/config.json of a project, or config.json in the user folder; the project wins',
    type: 'object',
    additionalProperties: false,
    properties,
  };
}

export const configSchemaText = (): string => `${JSON.stringify(configSchema(), null, 2)}\n`;

function put(properties: Record<string, Node>, key: string, node: Node): void {
  const [group = '', name] = key.split('.');
  if (name === undefined) {
    properties[group] = node;
    return;
  }
  properties[group] ??= { type: 'object', additionalProperties: false, properties: {} };
  properties[group].properties![name] = node;
}

function forms(type: string | readonly string[]): Node {
  if (typeof type !== 'string') return { enum: type };
  if (type === 'count') return { type: 'integer', minimum: 0, maximum: greatestCount };
  if (type === 'flag') return { type: 'boolean' };
  const texts = { type: 'array', items: { type: 'string' } };
  if (type === 'list') return texts;
  if (type === 'slugs') return { type: 'array', items: { type: 'string', pattern: slugPattern.source } };
  if (type === 'command')
    return {
      anyOf: [
        { type: 'string', minLength: 1 },
        { ...texts, minItems: 1 },
      ],
    };
  return type === 'name' ? { type: 'string', pattern: namePattern.source } : { type: 'string' };
}
