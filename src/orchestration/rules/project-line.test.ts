import { expect, test } from 'vitest';
import type { ProjectContext } from '#detect/model/project-context.ts';
import { formatProjectLine } from './project-line.ts';

const bare: ProjectContext = { type: 'node', languages: [], parts: [], llmHints: [] };
const api = { command: 'uv run pytest', folder: 'api', framework: 'pytest', from: 'x' };
const web = { command: 'npm test', folder: 'web', framework: 'vitest', from: 'x' };

const table: [string, ProjectContext | undefined, string][] = [
  ['returns nothing for an unknown project', undefined, ''],
  ['returns nothing without commands', bare, ''],
  [
    'shows the test command and framework',
    { ...bare, testing: { command: 'npm test', framework: 'jest', from: 'x' } },
    'tests `npm test` (`jest`)',
  ],
  [
    'shows the test commands of all parts of a mixed project',
    {
      ...bare,
      type: 'mixed',
      testing: api,
      parts: [api, web].map((testing) => ({ type: 'node', from: 'x', testing })),
    },
    'tests `uv run pytest` in `api`, `npm test` in `web` (`vitest`)',
  ],
  [
    'shows the first command of each topic',
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
  ['quotes a backtick in a value', { ...bare, testing: { command: 'a ` b', from: 'x' } }, 'tests ``a ` b``'],
];
test.each(table)('%s', (_, context, line) => {
  expect(formatProjectLine(context)).toBe(line && `\n- Commands of the project: ${line}.`);
});
