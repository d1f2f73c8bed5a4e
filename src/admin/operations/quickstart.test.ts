import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openApp, type TestApp } from '../../../test/app.ts';

type Word = string | { printedBy: string[] };

const wordOf = async ({ cli }: TestApp, word: Word): Promise<string> =>
  typeof word === 'string' ? word : (await cli(word.printedBy)).out.trim();

test('every step does what the story says, one after the other', async () => {
  const app = await openApp();
  const { steps } = await app.call('admin.quickstart');
  for (const { files = {}, argv: words, exit = 0 } of steps as { files?: Record<string, string>; argv: Word[]; exit?: number }[]) {
    for (const [path, content] of Object.entries(files)) writeFileSync(join(app.root, path), content);
    const argv = await Promise.all(words.map((word) => wordOf(app, word)));
    const { exitCode } = await app.cli(argv);
    // The test's project is made already.
    expect(`${argv.join(' ')}: ${exitCode}`).toBe(`${argv.join(' ')}: ${argv[0] === 'init' ? 101 : exit}`);
  }
  expect(await app.call('tasks.list')).toMatchObject({
    tasks: [{ status: 'pending' }, { status: 'done' }, { status: 'done' }, { status: 'pending' }],
  });
  const { grades } = await app.call('admin.grade.list');
  expect(grades).toMatchObject([{ totalScore: 72, letter: 'C' }]);
  // What the story does in a hurry is what it loses points for, beside the door it comes through.
  expect(grades[0].flags).toEqual([
    'tasks.add without description (taskId: T004)',
    'Subtasks created without tasks.exists parent check',
    expect.stringContaining('admin.help'),
    expect.stringContaining('MCP'),
  ]);
});

test('the folder is handed on to whoever plays it', async () => {
  const { call } = await openApp();
  expect(await call('admin.quickstart', { folder: 'demo' })).toMatchObject({ folder: 'demo' });
});
