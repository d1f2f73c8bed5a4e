import { jsonSchemaOf } from '#core/model/json-schema.ts';
import { Registry } from './nexus.ts';

/** The form of `nexus.json` as a JSON Schema. */
export const nexusSchemaText = (): string =>
  `${JSON.stringify(
    {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      title: 'CLEO registry of projects',
      description: 'nexus.json in the folder of the user: the projects that can be asked by their names, and what each allows the others',
      ...jsonSchemaOf(Registry),
    },
    null,
    2,
  )}\n`;
