import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type ImportTool, importTools } from '#transfer/rules/detect-tool.ts';
import { openApp } from '../../../test/app.ts';
import { listImports } from '../../../test/imports/imports.ts';

const issue = (id: string, more: object = {}): string =>
  JSON.stringify({ id, title: `Issue ${id}`, status: 'open', priority: 2, issue_type: 'task', ...more });

test.each<[string, ImportTool, string, number, RegExp]>([
  ['a torn last line', 'beads', `${issue('a')}\n${issue('b').slice(0, 40)}`, 2, /line 2, column \d+/],
  ['another file', 'beads', '{"name":"package","version":"1.0.0"}', 2, /entry 1 is not an issue of bd/],
  ['no JSON', 'beads', '<<<<<<< HEAD', 2, /not valid JSON/],
  ['an empty file', 'beads', '\n', 2, /empty/],
  ['an id twice', 'beads', `${issue('a')}\n${issue('a', { title: 'Other' })}`, 22, /a/],
  ['a torn file', 'taskmaster', '{"master":{"tasks":[{"id":1,"title":"x"', 2, /line 1/],
  ['a list of nothing', 'taskmaster', '{"compilerOptions":{}}', 2, /no task list of task-master/],
  ['an id twice', 'taskmaster', '{"tasks":[{"id":1,"title":"x"},{"id":1,"title":"y"}]}', 22, /1/],
  ['a file of another tool', 'taskmaster', issue('a'), 2, /no task list of task-master/],
])('rejects %s of %s as a whole', async (_, from, content, exitCode, message) => {
  const { call, cli } = await openApp();
  const { error } = await call('tasks.import', { content, from });
  expect(error).toMatchObject({ exitCode, message: expect.stringMatching(message) });
  expect((await cli(error.fix)).exitCode).toBe(0);
  expect(await call('tasks.list')).toMatchObject({ tasks: [] });
});

test('ignores a byte order mark and CRLF line ends', async () => {
  const { call } = await openApp();
  expect(await call('tasks.import', { content: `\ufeff${issue('a')}\r\n${issue('b')}\r\n`, from: 'beads' })).toMatchObject({ imported: 2 });
});

test('reads a line of many megabytes', async () => {
  const { call } = await openApp();
  const content = issue('a', { description: 'word '.repeat(400_000) });
  expect(await call('tasks.import', { content, from: 'beads' })).toMatchObject({ imported: 1, losses: [{ field: 'description' }] });
});

test.each(importTools)('recognizes %s and names it in the fix', async (tool) => {
  for (const files of await listImports(tool)) {
    const { root, cli, call } = await openApp();
    for (const { name, text } of files) {
      mkdirSync(join(root, 'their files', name, '..'), { recursive: true });
      writeFileSync(join(root, 'their files', name), text);
    }
    const path = files.length === 1 ? `their files/${files[0]!.name}` : 'their files';
    const { envelope } = await cli(['import', path]);
    expect(envelope).toMatchObject({ error: { exitCode: 2, fix: `cleo import '${path}' --from ${tool}` } });
    expect((await cli(envelope.error.fix)).exitCode).toBe(0);
    expect((await call('tasks.list')).tasks.length).toBeGreaterThan(0);
  }
});

test('reads the folder of a project; the fix for a misspelled tool keeps the path', async () => {
  const { root, cli } = await openApp();
  mkdirSync(join(root, '.beads', 'backup'), { recursive: true });
  writeFileSync(join(root, '.beads', 'issues.jsonl'), issue('a'));
  writeFileSync(join(root, '.beads', 'backup', 'issues.jsonl'), issue('b'));
  const wrong = await cli(['import', '.', '--from', 'bead']);
  expect(wrong.envelope).toMatchObject({ error: { exitCode: 2, fix: 'cleo import . --from beads' } });
  expect((await cli(wrong.envelope.error.fix)).envelope).toMatchObject({ imported: 1, ids: [{ id: 'a' }] });
});

test('rejects anything but a plain file at once', async () => {
  const { root, cli } = await openApp();
  mkdirSync(join(root, 'bare'));
  mkdirSync(join(root, 'linked'));
  execFileSync('mkfifo', [join(root, 'pipe')]);
  symlinkSync('round', join(root, 'round'));
  symlinkSync(join(root, 'pipe'), join(root, 'linked', 'issues.jsonl'));
  symlinkSync(root, join(root, 'linked', 'up'));
  writeFileSync(join(root, 'bytes'), Buffer.from([0xff, 0xfe, 0x00]));
  const table: [string, number][] = [
    ['pipe', 3],
    ['round', 3],
    ['linked', 3],
    ['/dev/null', 3],
    ['bare', 3],
    ['nowhere', 3],
    ['bytes', 2],
  ];
  for (const [path, exitCode] of table)
    expect([path, (await cli(['import', path, '--from', 'beads'])).envelope.error?.exitCode]).toEqual([path, exitCode]);
});
