import { createJsonSchema } from '#core/model/json-schema.ts';
import { WorkGraphSchema } from './workgraph.ts';

/** Formats the JSON Schema of a WorkGraph, for editors and programs that write one. */
export const formatWorkGraphSchema = (): string =>
  `${JSON.stringify(
    {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      title: 'CLEO WorkGraph',
      description: 'Tasks to create, update, delete and relate, applied in one transaction. Version 1',
      ...createJsonSchema(WorkGraphSchema),
    },
    null,
    2,
  )}\n`;
