import { expect, test } from 'vitest';
import type { ProjectContext } from '#detect/model/project-context.ts';
import { projectLine } from './project-line.ts';

const bare: ProjectContext = { type: 'node', languages: [], parts: [], llmHints: [] };
const api = { command: 'uv run pytest', folder: 'api', framework: 'pytest', from: 'x' };
const web = { command: 'npm test', folder: 'web', framework: 'vitest', from: 'x' };

const table: [string, ProjectContext | undefined, string][] = [
  ['nothing is known', undefined, ''],
  ['nothing worth telling', bare, ''],
  ['tests', { ...bare, testing: { command: 'npm test', framework: 'jest', from: 'x' } }, 'tests `npm test` (`jest`)'],
  [
    'what the parts of a mixed project are tested with',
    {
      ...bare,
      type: 'mixed',
      testing: api,
      parts: [api, web].map((testing) => ({ type: 'node', from: 'x', testing })),
    },
    'tests `uv run pytest` in `api`, `npm test` in `web` (`vitest`)',
  ],
  [
    'the first of each kind of command',
    {
      ...bare,
      llmHints: [
        { about: 'lint', text: 'ruff check', from: 'x' },
        { about: 'lint', text: 'flake8', from: 'x' },
        { about: 'build', text: 'make build', from: 'x' },
        { about: 'read', text: 'AGENTS.md', from: 'x' },
      ],
    },
    'build `make build`; lint `ruff check`',
  ],
  ['a mark of code in a value ends nothing', { ...bare, testing: { command: 'a ` b', from: 'x' } }, 'tests ``a ` b``'],
];
test.each(table)('%s', (_, context, line) => {
  expect(projectLine(context)).toBe(line && `\n- It is worked on with: ${line}.`);
});
