import { createJsonSchema } from '#core/model/json-schema.ts';
import { ProjectContextSchema } from './project-context.ts';

/** Builds the JSON Schema of `.cleo/project-context.json`. */
function projectContextSchema(): Record<string, unknown> {
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'CLEO project context',
    description: 'Written by cleo init --detect: the ecosystem of a project, its test command and hints for agents',
    ...createJsonSchema(ProjectContextSchema),
  };
}

export const projectContextSchemaText = (): string => `${JSON.stringify(projectContextSchema(), null, 2)}\n`;
