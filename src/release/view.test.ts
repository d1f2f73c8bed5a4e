import { expect, test } from 'vitest';
import { renderWith } from '../../test/render.ts';
import { releaseView } from './view.ts';

const render = renderWith(releaseView);

const at = '2026-01-01T00:00:00.000Z';

test('draws a release with its steps, tasks and digests', async () => {
  const release = {
    version: 'v1.0.0',
    status: 'shipping',
    epicId: 'T001',
    createdAt: at,
    createdBy: 'ada',
    commit: 'c'.repeat(40),
    tag: 'v1.0.0',
    tasks: [{ id: 'T002', title: `Write \u001b[31m${'x'.repeat(90)}`, type: 'task' }, { id: 'T003' }],
    steps: [
      { step: 'changelog', state: 'done', at, what: 'CHANGELOG.md' },
      { step: 'push', state: 'begun', at },
    ],
    provenance: { commit: 'c', tree: 't', tasks: ['T002'], artifacts: [{ name: 'CHANGELOG.md', sha256: 'a'.repeat(64) }] },
  };
  const lines = (await render({ release })).split('\n');
  expect(lines).toEqual([
    '◐ v1.0.0',
    '  shipping · of T001 · created 2026-01-01 00:00 by ada',
    `  commit ${'c'.repeat(40)}, tag v1.0.0`,
    '',
    '  ✓ changelog  CHANGELOG.md',
    '  ◐ push       begun, not finished',
    '',
    '2 tasks',
    expect.stringMatching(/^ {2}T002 {2}Write .*x…$/),
    '  T003',
    '',
    'digests',
    `  ${'a'.repeat(12)}  CHANGELOG.md`,
    '',
  ]);
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(80);
});

test('draws releases as rows and limits the tasks of a long one', async () => {
  const row = {
    version: 'v1.0.0',
    status: 'shipped',
    taskCount: 3,
    createdAt: at,
    createdBy: 'ada',
    shippedAt: at,
    commit: 'c'.repeat(40),
    tag: 'v1.0.0',
  };
  expect(await render({ releases: [row] })).toBe(
    [
      'RELEASE  STATE    TASKS  CREATED           SHIPPED           COMMIT',
      `v1.0.0   shipped      3  2026-01-01 00:00  2026-01-01 00:00  ${'c'.repeat(12)}`,
      '',
    ].join('\n'),
  );
  const tasks = Array.from({ length: 25 }, (_, i) => ({ id: `T${100 + i}`, title: 'x' }));
  const text = await render({ release: { version: 'v1.0.0', status: 'created', createdAt: at, createdBy: 'ada', tasks, steps: [] } });
  expect(text).toContain('25 tasks\n  T100  x\n');
  expect(text).toContain('  and 5 more\n');
});
