import { type ConversionConfig, type JsonSchema, toJsonSchema } from '@valibot/to-json-schema';
import type { GenericSchema } from 'valibot';

interface PipeStep {
  type: string;
  metadata?: { jsonSchema?: JsonSchema };
}

/** A schema as JSON Schema, for those who cannot read ours. What a schema says of its own form (`metadata.jsonSchema`) wins over what can be derived. */
export function createJsonSchema(schema: unknown, definitions?: Record<string, unknown>): JsonSchema {
  const { $schema: _, ...converted } = toJsonSchema(schema as GenericSchema, {
    ...conversion,
    ...(definitions ? { definitions: definitions as Record<string, GenericSchema> } : {}),
  });
  return converted;
}

const conversion: ConversionConfig = {
  target: 'draft-2020-12',
  // Checks and transformations have no equivalent; the text of the description says what they do.
  errorMode: 'ignore',
  ignoreActions: ['transform', 'check'],
  overrideAction: ({ valibotAction, jsonSchema }) => {
    const { type, metadata } = valibotAction as PipeStep;
    if (type !== 'metadata' || !metadata) return undefined;
    // What else the metadata say is for our own command line.
    const others = Object.entries(jsonSchema).filter(([key]) => !(key in metadata));
    return { ...Object.fromEntries(others), ...metadata.jsonSchema };
  },
};
