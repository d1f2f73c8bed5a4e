import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type ImportTool, importTools } from '#transfer/rules/detect-tool.ts';
import { openApp } from '../../../test/app.ts';
import { listImports } from '../../../test/imports/imports.ts';

const issue = (id: string, more: object = {}): string =>
  JSON.stringify({ id, title: `Issue ${id}`, status: 'open', priority: 2, issue_type: 'task', ...more });

test.each<[string, ImportTool, string, RegExp]>([
  ['another file', 'beads', '{"name":"package","version":"1.0.0"}', /entry 1: it is not an issue of bd/],
  ['no JSON', 'beads', '<<<<<<< HEAD', /not valid JSON/],
  ['an empty file', 'beads', '\n', /empty/],
  ['a torn file', 'taskmaster', '{"master":{"tasks":[{"id":1,"title":"x"', /line 1/],
  ['a list of nothing', 'taskmaster', '{"compilerOptions":{}}', /no task list of task-master/],
  ['a file of another tool', 'taskmaster', issue('a'), /no task list of task-master/],
])('rejects %s of %s, in which nothing can be read', async (_, from, content, message) => {
  const { call, cli } = await openApp();
  const { error } = await call('tasks.import', { content, from });
  expect(error).toMatchObject({ exitCode: 2, message: expect.stringMatching(message) });
  expect((await cli(error.fix)).exitCode).toBe(0);
  expect(await call('tasks.list')).toMatchObject({ tasks: [] });
});

test.each<[string, ImportTool, string, number]>([
  ['a torn last line', 'beads', `${issue('a')}\n${issue('b').slice(0, 40)}`, 1],
  ['an id twice', 'beads', `${issue('a')}\n${issue('a', { title: 'Other' })}`, 2],
  ['an id twice', 'taskmaster', '{"tasks":[{"id":1,"title":"x"},{"id":1,"title":"y"}]}', 2],
])('imports the rest of a file with %s of %s, unless it is strict', async (_, from, content, imported) => {
  const { call } = await openApp();
  expect(await call('tasks.import', { content, from, strict: true })).toMatchObject({ error: { exitCode: 2 } });
  expect(await call('tasks.import', { content, from })).toMatchObject({ imported, losses: [expect.anything()] });
});

test.each([
  ['UTF-16 with a byte order mark', Buffer.from(`\ufeff${issue('a')}\n`, 'utf16le')],
  ['UTF-16 without one', Buffer.from(`${issue('a')}\n`, 'utf16le')],
  ['big-endian UTF-16', Buffer.from(`\ufeff${issue('a')}\n`, 'utf16le').swap16()],
  ['Latin-1', Buffer.from(`${issue('a')}\n`, 'latin1')],
])('decodes %s', async (_, bytes) => {
  const { cli, call, root } = await openApp();
  const named = bytes.toString('latin1').includes('Issue a')
    ? Buffer.from(bytes.toString('latin1').replace('Issue a', 'Caf\u00e9'), 'latin1')
    : bytes;
  writeFileSync(join(root, 'issues.jsonl'), named);
  expect((await cli(['import', 'issues.jsonl', '--from', 'beads'])).envelope).toMatchObject({ imported: 1, losses: [] });
  expect((await call('tasks.show', { taskId: 'T001' })).task.title).toBe(named === bytes ? 'Issue a' : 'Caf\u00e9');
});

test('reads a file larger than its parts, twice', async () => {
  const { cli, root } = await openApp();
  const lines = Array.from({ length: 600 }, (_, i) => issue(`a${i}`, { description: `${'ü€😀 '.repeat(1500)}${i}` }));
  writeFileSync(join(root, 'issues.jsonl'), lines.join('\n'));
  expect((await cli(['import', 'issues.jsonl', '--from', 'beads'])).envelope).toMatchObject({ imported: 600 });
  expect((await cli(['import', 'issues.jsonl', '--from', 'beads'])).envelope).toMatchObject({ unchanged: 600, updated: 0 });
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
    ['linked', 2],
    ['/dev/null', 3],
    ['bare', 3],
    ['nowhere', 3],
    ['bytes', 2],
  ];
  for (const [path, exitCode] of table)
    expect([path, (await cli(['import', path, '--from', 'beads'])).envelope.error?.exitCode]).toEqual([path, exitCode]);
});
