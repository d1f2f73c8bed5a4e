import { expect, test } from 'vitest';
import { renderWith } from '../../test/render.ts';
import { detectView } from './view.ts';

test('draws the detected properties in two columns', async () => {
  const detected = {
    type: 'mixed',
    languages: [
      { name: 'python', from: 'api' },
      { name: 'typescript', from: 'web' },
    ],
    packageManager: { name: 'uv', from: 'api/uv.lock' },
    testing: { command: 'uv run pytest', framework: 'pytest', folder: 'api', from: 'api/pyproject.toml' },
    parts: [
      { type: 'python', testing: { command: 'uv run pytest', folder: 'api' } },
      { type: 'node', testing: { command: 'npm test', framework: 'vitest', folder: 'web' } },
    ],
    monorepo: { tools: [{ name: 'uv workspace' }], packages: Array.from({ length: 9 }, (_, i) => ({ folder: `p${i}` })), more: 2 },
    llmHints: [
      { about: 'lint', text: 'uv run ruff check', from: 'x' },
      { about: 'lint', text: 'pre-commit run --all-files', from: 'y' },
    ],
  };
  expect((await renderWith(detectView)({ detected })).split('\n')).toEqual([
    'type             mixed',
    'languages        python, typescript',
    'package manager  uv',
    'tested by        uv run pytest in api, npm test in web (vitest)',
    'monorepo         uv workspace',
    'packages         p0, p1, p2, p3, p4, p5, p6, p7, 3 more',
    'lint             uv run ruff check, pre-commit run --all-files',
    '',
  ]);
});
