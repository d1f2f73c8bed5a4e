import { jsonSchemaOf } from '#core/model/json-schema.ts';
import { ProjectContext } from './project-context.ts';

/** The form of `.cleo/project-context.json` as a JSON Schema. */
export function projectContextSchema(): Record<string, unknown> {
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'CLEO project context',
    description: 'What cleo init --detect found out about a project: what it is built with, how it is tested, and hints for agents',
    ...jsonSchemaOf(ProjectContext),
  };
}

export const projectContextSchemaText = (): string => `${JSON.stringify(projectContextSchema(), null, 2)}\n`;
