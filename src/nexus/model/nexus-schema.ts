import { createJsonSchema } from '#core/model/json-schema.ts';
import { ProjectRegistry } from './nexus.ts';

/** Formats the JSON Schema of `nexus.json`. */
export const formatNexusSchema = (): string =>
  `${JSON.stringify(
    {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      title: 'CLEO project registry',
      description: 'nexus.json in the home folder of cleo: registered projects and their permissions for other projects',
      ...createJsonSchema(ProjectRegistry),
    },
    null,
    2,
  )}\n`;
