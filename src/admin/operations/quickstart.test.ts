import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { openApp, type TestApp } from '../../../test/app.ts';

type Word = string | { printedBy: string[] };

const resolveWord = async ({ cli }: TestApp, word: Word): Promise<string> =>
  typeof word === 'string' ? word : (await cli(word.printedBy)).out.trim();

test('every step has the documented result', async () => {
  const app = await openApp();
  const { steps } = await app.call('admin.quickstart');
  for (const { files = {}, argv: words, exit = 0 } of steps as { files?: Record<string, string>; argv: Word[]; exit?: number }[]) {
    for (const [path, content] of Object.entries(files)) {
      // The demo has the folder of its user in `.cleo`.
      const full = path.startsWith('.cleo/home/') ? join(app.env.CLEO_HOME!, path.slice('.cleo/home/'.length)) : join(app.root, path);
      mkdirSync(dirname(full), { recursive: true });
      writeFileSync(full, content);
    }
    const argv = await Promise.all(words.map((word) => resolveWord(app, word)));
    const { exitCode } = await app.cli(argv);
    // The project of the test already exists.
    expect(`${argv.join(' ')}: ${exitCode}`).toBe(`${argv.join(' ')}: ${argv[0] === 'init' ? 101 : exit}`);
  }
  expect(await app.call('tasks.list')).toMatchObject({
    tasks: [
      ...[{ status: 'pending' }, { status: 'done' }, { status: 'done' }, { status: 'pending' }],
      // The epic that agents did.
      ...[{ status: 'pending' }, { status: 'done' }, { status: 'done' }, { status: 'done' }],
    ],
  });
  const { grades } = await app.call('admin.grade.list');
  expect(grades).toMatchObject([{ totalScore: 72, letter: 'C' }]);
  // The tour loses points for its shortcuts and for using the command line.
  expect(grades[0].flags).toEqual([
    'tasks.add without description (taskId: T004)',
    'Subtasks created without tasks.exists parent check',
    expect.stringContaining('admin.help'),
    expect.stringContaining('MCP'),
  ]);
});

test('returns the folder', async () => {
  const { call } = await openApp();
  expect(await call('admin.quickstart', { folder: 'demo' })).toMatchObject({ folder: 'demo' });
});
