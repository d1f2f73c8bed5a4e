import { jsonSchemaOf } from '#core/model/json-schema.ts';
import { ManifestEntry } from './manifest.ts';

/** The form of a line in `MANIFEST.jsonl` as a JSON Schema. */
export function manifestSchema(): Record<string, unknown> {
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'CLEO research manifest entry',
    description: 'One line of .cleo/research/MANIFEST.jsonl: what a subagent found, where it is written, and what is left to do',
    ...jsonSchemaOf(ManifestEntry),
    // Work that is not complete says what is left, or what blocks it.
    anyOf: [{ properties: { status: { const: 'complete' } } }, { properties: { needs_followup: { minItems: 1 } } }],
  };
}

export const manifestSchemaText = (): string => `${JSON.stringify(manifestSchema(), null, 2)}\n`;
