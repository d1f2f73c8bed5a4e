import { jsonSchemaOf } from '#core/model/json-schema.ts';
import { WorkGraph } from './workgraph.ts';

/** The form of a WorkGraph as a JSON Schema, for editors and for those who write one by program. */
export const workGraphSchemaText = (): string =>
  `${JSON.stringify(
    {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      title: 'CLEO WorkGraph',
      description: 'A piece of work as one document: what is made, changed, deleted and related, all of it or nothing. Version 1',
      ...jsonSchemaOf(WorkGraph),
    },
    null,
    2,
  )}\n`;
