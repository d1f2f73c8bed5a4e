import {
  createEvidencePattern,
  defaultConfig,
  type FixedKey,
  getConfigSpec,
  getOpenKeyPattern,
  maxCount,
  namePattern,
  openGroups,
  publishedKinds,
  signerPattern,
  slugPattern,
} from './config.ts';
import { configMeanings } from './config-meanings.ts';
import { profileChoices } from './profile-config.ts';

interface SchemaNode {
  type?: string;
  description?: string;
  properties?: Record<string, SchemaNode>;
  [keyword: string]: unknown;
}

/** Creates the JSON Schema of the configuration, with which editors complete and check the file. */
export function createConfigSchema(): SchemaNode {
  const properties: Record<string, SchemaNode> = { $schema: { type: 'string' } };
  for (const [key, fallback] of Object.entries(defaultConfig)) {
    const { type } = getConfigSpec(key as FixedKey);
    setNode(properties, key, { ...toTypeSchema(type), default: fallback, description: configMeanings[key as FixedKey] });
  }
  for (const [group, { type }] of Object.entries(openGroups))
    setNode(properties, group, {
      type: 'object',
      description: configMeanings[group as keyof typeof openGroups],
      patternProperties: { [getOpenKeyPattern(group as keyof typeof openGroups).source]: toTypeSchema(type) },
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

export const formatConfigSchema = (): string => `${JSON.stringify(createConfigSchema(), null, 2)}\n`;

/** Formats the copy in a project. Only editors read it, so it has no white space. */
export const formatProjectSchema = (): string => `${JSON.stringify(createConfigSchema())}\n`;

function setNode(properties: Record<string, SchemaNode>, key: string, node: SchemaNode): void {
  const [group = '', name] = key.split('.');
  if (name === undefined) {
    properties[group] = node;
    return;
  }
  properties[group] ??= { type: 'object', additionalProperties: false, properties: {} };
  properties[group].properties![name] = node;
}

function toTypeSchema(type: string | readonly string[]): SchemaNode {
  if (typeof type !== 'string') return { enum: type };
  if (type === 'count') return { type: 'integer', minimum: 0, maximum: maxCount };
  if (type === 'flag') return { type: 'boolean' };
  const texts = { type: 'array', items: { type: 'string' } };
  if (type === 'list') return texts;
  if (type === 'slugs') return { type: 'array', items: { type: 'string', pattern: slugPattern.source } };
  if (type === 'kinds') return { type: 'array', items: { enum: publishedKinds } };
  if (type === 'signers') return { type: 'array', items: { type: 'string', pattern: signerPattern.source } };
  if (type === 'evidence') return { type: 'array', minItems: 1, items: { type: 'string', pattern: createEvidencePattern().source } };
  if (type === 'command' || type === 'program')
    return {
      anyOf: [
        { type: 'string', ...(type === 'command' ? { minLength: 1 } : {}) },
        { ...texts, minItems: 1 },
      ],
    };
  if (type === 'profile')
    return {
      type: 'object',
      additionalProperties: false,
      properties: {
        argv: toTypeSchema('command'),
        prompt: { enum: profileChoices.prompt },
        output: { enum: profileChoices.output },
        env: texts,
        timeoutMinutes: toTypeSchema('count'),
        concurrency: toTypeSchema('count'),
      },
    };
  return type === 'name' ? { type: 'string', pattern: namePattern.source } : { type: 'string' };
}
