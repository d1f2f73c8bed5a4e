import { createJsonSchema } from '#core/model/json-schema.ts';
import { ManifestEntrySchema } from './manifest.ts';

/** Creates the JSON Schema of a line in `MANIFEST.jsonl`. */
function createManifestSchema(): Record<string, unknown> {
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'CLEO research manifest entry',
    description: 'One line of .cleo/research/MANIFEST.jsonl: the findings of a subagent, its output file and the remaining work',
    ...createJsonSchema(ManifestEntrySchema),
    // Incomplete work must name what is left or what blocks it.
    anyOf: [{ properties: { status: { const: 'complete' } } }, { properties: { needs_followup: { minItems: 1 } } }],
  };
}

export const formatManifestSchema = (): string => `${JSON.stringify(createManifestSchema(), null, 2)}\n`;
