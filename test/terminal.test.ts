import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import stringWidth from 'string-width';
import { expect, test } from 'vitest';
import { runCleo } from './built-cli.ts';
import { createTempFolder } from './temp-folder.ts';
import { cleoLine, runAtTerminal, type TerminalAnswer } from './terminal-session.ts';

const title = '配方解析器 🍳 reads a long title that goes on and on until it does not fit a narrow screen at all';

interface World {
  cwd: string;
  env: Record<string, string>;
  run(...words: string[]): Promise<string>;
  /** Runs a command at a terminal of this size, and returns its lines without colours. */
  show(words: string[], columns?: number, answers?: TerminalAnswer[]): Promise<string[]>;
}

async function openWorld(count = 0): Promise<World> {
  const cwd = createTempFolder();
  const temporary = join(cwd, 'tmp');
  mkdirSync(temporary);
  const env = { HOME: cwd, CLEO_HOME: join(cwd, 'home'), TMPDIR: temporary, TZ: 'UTC' };
  const run = async (...words: string[]) => (await runCleo(words, { cwd, env })).out;
  if (count > 0) {
    await run('init');
    for (let i = 0; i < Math.min(count, 3); i++) await run('add', i === 0 ? title : `Task ${i}`, '--priority', 'critical');
    if (count > 3)
      await runCleo(['add-batch', '--file', '-'], {
        cwd,
        env,
        stdin: JSON.stringify(Array.from({ length: count - 3 }, (_, i) => ({ title: `Task ${i + 3}` }))),
      });
  }
  const show: World['show'] = async (words, columns = 80, answers = []) => {
    const text = await runAtTerminal(`stty cols ${columns} rows 24; ${cleoLine(...words)}`, { cwd, env, answers });
    return stripVTControlCharacters(text).trimEnd().split(/\r?\n/);
  };
  return { cwd, env, run, show };
}

test.each([
  ['outside a project', 0],
  ['in an empty project', -1],
  ['in a full one', 5],
])('cleo alone %s fits a small screen', async (_, count) => {
  const { show, run } = await openWorld(Math.max(0, count));
  if (count < 0) await run('init');
  for (const columns of [80, 40]) {
    const lines = await show([], columns);
    // The command line and the prompt after it need a line each.
    expect(lines.length).toBeLessThanOrEqual(22);
    for (const line of lines) expect(stringWidth(line)).toBeLessThanOrEqual(columns);
    expect(lines.join('\n')).toContain(count === 0 ? 'No project' : count < 0 ? 'none yet' : 'next');
    expect(lines.filter((line) => /\b(add|edit|list|find|show|next|start|done|board|undo) /.test(line)).length).toBeGreaterThanOrEqual(9);
  }
});

test('list, show and add fit a screen of 80 and of 40 columns', async () => {
  const { show } = await openWorld(3);
  for (const columns of [80, 40])
    for (const words of [['list'], ['show', 'T1'], ['add', title]])
      for (const line of await show(words, columns)) expect(stringWidth(line)).toBeLessThanOrEqual(columns);
  expect((await show(['list'], 40))[0]).toContain('TITLE');
});

test('list shows open tasks first on a terminal, and by id in JSON', async () => {
  const { show, run } = await openWorld(3);
  await run('complete', 'T001');
  expect((await show(['list', '-q'])).map((line) => line.trim())).toEqual(['T001', 'T002', 'T003']);
  expect((await show(['list'])).slice(1).map((line) => line.slice(0, 4))).toEqual(['T002', 'T003', 'T001']);
  expect(JSON.parse(await run('list')).tasks[0].id).toBe('T001');
});

test('a list longer than the screen is shown by the pager', async () => {
  const { show, env } = await openWorld(60);
  env.PAGER = 'head -1; echo paged';
  expect(await show(['list'])).toEqual([expect.stringContaining('TITLE'), 'paged']);
  expect((await show(['list', '--no-pager'])).at(-1)).toBe('50 of 60; --limit 0 for all');
  expect(await show(['list', '--limit', '3'])).toHaveLength(6);
  expect((await show(['list', '--limit', '0', '--no-pager'])).filter((line) => line.startsWith('T'))).toHaveLength(60);
  // An agent on a terminal could not leave the pager.
  env.AI_AGENT = '1';
  expect((await show(['list'])).length).toBeGreaterThan(50);
});

test('colours are for terminals, unless they are forced', async () => {
  const { cwd, env } = await openWorld(3);
  const colour = '\u001b[';
  const pipe = async (more: Record<string, string>, ...words: string[]) =>
    (await runCleo([...words, '--human'], { cwd, env: { ...env, ...more } })).out;
  expect(await pipe({}, 'list')).not.toContain(colour);
  expect(await pipe({ FORCE_COLOR: '1' }, 'list')).toContain(colour);
  expect(await pipe({ FORCE_COLOR: '1' }, 'list', '--color', 'never')).not.toContain(colour);
  expect(await pipe({ NO_COLOR: '1' }, 'list', '--color=always')).toContain(colour);
  const screen = (more: Record<string, string>, ...words: string[]) => runAtTerminal(cleoLine(...words), { cwd, env: { ...env, ...more } });
  expect(await screen({}, 'list')).toContain(colour);
  expect(await screen({ NO_COLOR: '1' }, 'list')).not.toContain(colour);
  expect(await screen({}, 'list', '--color', 'never')).not.toContain(colour);
  // `cleo` alone.
  expect(await screen({})).toContain(colour);
  expect(await screen({}, '--color', 'never')).not.toContain(colour);
  expect(await pipe({}, '--color', 'always')).toContain(colour);
  expect(await runCleo(['--color', 'blue'], { cwd, env })).toMatchObject({ exitCode: 2 });
});

test('times are local on a terminal and UTC in JSON', async () => {
  const { show, run, env } = await openWorld(1);
  const { createdAt } = JSON.parse(await run('show', 'T1')).task;
  expect(createdAt).toMatch(/Z$/);
  env.TZ = 'Etc/GMT-14';
  const local = new Date(Date.parse(createdAt) + 14 * 3_600_000).toISOString().slice(0, 16).replace('T', ' ');
  expect((await show(['show', 'T1'])).join('\n')).toContain(`created ${local}`);
});

test('add asks for a title on a terminal only', async () => {
  const { cwd, env, show, run } = await openWorld(1);
  expect((await show(['add', '--priority', 'high'], 80, [[/Title: /, 'Asked for\n']])).join('\n')).toContain('T002  Asked for');
  expect(JSON.parse(await run('show', 'T2')).task).toMatchObject({ title: 'Asked for', priority: 'high' });
  expect((await show(['add'], 80, [[/Title: /, '\n']])).join('\n')).toContain('Nothing was created');
  expect((await runCleo(['add'], { cwd, env, stdin: 'No title\n' })).exitCode).toBe(2);
  env.AI_AGENT = '1';
  expect((await show(['add'])).join('\n')).toContain('E_INVALID_INPUT');
});

test('edit without flags opens the editor; the text becomes changes', async () => {
  const { cwd, env, show, run } = await openWorld(2);
  const editor = join(cwd, 'editor');
  const setEditor = (script: string): void => {
    writeFileSync(editor, `#!/bin/sh\n${script}\n`);
    chmodSync(editor, 0o755);
  };
  env.EDITOR = editor;
  setEditor(`cp "$1" ${cwd}/opened; sed -i 's/^title: .*/title: Changed/; s/^labels:.*/labels: a, b/' "$1"; echo 'More text' >> "$1"`);
  expect((await show(['edit', 'T2'])).join('\n')).toContain('updated T002');
  expect(readFileSync(join(cwd, 'opened'), 'utf8')).toMatch(/^---\n# T002, pending\. .*\ntitle: Task 1\npriority: critical\n/);
  expect(JSON.parse(await run('show', 'T2')).task).toMatchObject({
    title: 'Changed',
    labels: ['a', 'b'],
    description: 'More text',
    revision: 2,
  });
  setEditor(':');
  expect((await show(['edit', 'T2'])).join('\n')).toContain('Nothing changed.');
  expect(JSON.parse(await run('show', 'T2')).task.revision).toBe(2);
  expect(readdirSync(env.TMPDIR!)).toEqual([]);
  setEditor(`sed -i 's/^priority/prio/' "$1"`);
  const failed = (await show(['edit', 'T2'])).join(' ').replace(/\s+/g, ' ');
  expect(failed).toContain('there is no field "prio"');
  const [folder = ''] = readdirSync(env.TMPDIR!);
  expect(readFileSync(join(env.TMPDIR!, folder, 'T002.md'), 'utf8')).toContain('prio: critical');
  setEditor(`sed -i 's/^title:.*/title: From the editor/' "$1"`);
  await show(['add', '--edit', '--priority', 'low']);
  expect(JSON.parse(await run('show', 'T3')).task).toMatchObject({ title: 'From the editor', priority: 'low' });
});

test('text comes from standard input or a file', async () => {
  const { cwd, env, run } = await openWorld(1);
  writeFileSync(join(cwd, 'note.txt'), 'From a file\n\n');
  await runCleo(['update', 'T1', '--description', '-', '--notes-file', 'note.txt'], { cwd, env, stdin: 'Line one\nLine two\n' });
  await runCleo(['comment', 'T1', '-'], { cwd, env, stdin: 'From a pipe\n' });
  expect(JSON.parse(await run('show', 'T1')).task).toMatchObject({
    description: 'Line one\nLine two',
    notes: [{ text: 'From a file' }, { text: 'From a pipe' }],
  });
  const refuse = async (...words: string[]) => JSON.parse((await runCleo(['update', 'T1', ...words], { cwd, env })).out).error;
  expect(await refuse('--description', '-', '--notes', '-')).toMatchObject({ exitCode: 2, message: 'standard input is given twice' });
  expect(await refuse('--notes', 'x', '--notes-file', 'note.txt')).toMatchObject({ exitCode: 2, message: '--notes is given twice' });
  expect(await refuse('--notes-file', 'missing.txt')).toMatchObject({ exitCode: 3 });
  expect(await refuse('--edit')).toMatchObject({ exitCode: 2, message: '--edit needs a terminal' });
});

test('the quickstart waits between its seven chapters and ends with what to do next', async () => {
  const { show } = await openWorld();
  const pause: TerminalAnswer = [/Press Enter to continue/, '\n'];
  const text = (await show(['quickstart', '--color', 'never'], 80, [pause, pause, pause, pause, pause, pause])).join('\n');
  expect([...text.matchAll(/^(?:Press.*: )?(\d) of 7: /gm)].map(([, number]) => number).join('')).toBe('1234567');
  expect(text).toContain('What to try next');
  const stopped = (await show(['quickstart'], 80, [[/Press Enter to continue/, 'q\n']])).join('\n');
  expect(stopped).not.toContain('2 of 7');
});

test('undo asks on a terminal; elsewhere it does it and says what', async () => {
  const { show, run } = await openWorld(2);
  await run('update', 'T2', '--title', 'Changed');
  const question: RegExp = /Take back update T002 "Changed"\? \[y\/N\] /;
  expect((await show(['undo', '--color', 'never'], 80, [[question, 'n\n']])).join('\n')).toContain('Nothing changed.');
  expect((await show(['undo', '--color', 'never'], 80, [[question, 'y\n']])).join('\n')).toContain('Took back update T002');
  expect(JSON.parse(await run('show', 'T2')).task.title).toBe('Task 1');
  expect(JSON.parse(await run('undo')).undone).toMatchObject({ operation: 'tasks.add', ids: ['T002'] });
});
