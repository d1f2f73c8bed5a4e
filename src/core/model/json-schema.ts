import { type ConversionConfig, type JsonSchema, toJsonSchema } from '@valibot/to-json-schema';
import type { GenericSchema } from 'valibot';

interface PipeStep {
  type: string;
  metadata?: { jsonSchema?: JsonSchema };
}

/** Converts a valibot schema to JSON Schema. `metadata.jsonSchema` overrides the derived keywords. */
export function createJsonSchema(schema: unknown, definitions?: Record<string, unknown>): JsonSchema {
  const { $schema: _, ...converted } = toJsonSchema(schema as GenericSchema, {
    ...conversion,
    ...(definitions ? { definitions: definitions as Record<string, GenericSchema> } : {}),
  });
  return converted;
}

const conversion: ConversionConfig = {
  target: 'draft-2020-12',
  // Checks and transformations have no equivalent; descriptions mention them.
  errorMode: 'ignore',
  ignoreActions: ['transform', 'check'],
  overrideAction: ({ valibotAction, jsonSchema }) => {
    const { type, metadata } = valibotAction as PipeStep;
    if (type !== 'metadata' || !metadata) return undefined;
    // Other metadata is for the command line only.
    const others = Object.entries(jsonSchema).filter(([key]) => !(key in metadata));
    return { ...Object.fromEntries(others), ...metadata.jsonSchema };
  },
};
