import { createJsonSchema } from '#core/model/json-schema.ts';
import { ProjectRegistrySchema } from './nexus.ts';

/** Formats the JSON Schema of `nexus.json`. */
export const formatNexusSchema = (): string =>
  `${JSON.stringify(
    {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      title: 'CLEO project registry',
      description: 'nexus.json in the home folder of cleo: registered projects and their permissions for other projects',
      ...createJsonSchema(ProjectRegistrySchema),
    },
    null,
    2,
  )}\n`;
