import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { expect, test } from 'vitest';
import { parseManifest } from '../../src/research/rules/manifest.ts';
import { runtimePath } from '../built-cli.ts';
import { createFaultFolder, createFaultProject, pickSize, root, runInRows } from './processes.ts';

/** A program that writes a manifest: `add` with our own code, `hand` opens the file for each line as agents do, `held` keeps one
 *  handle open, `change` rewrites the whole file repeatedly. */
const createProgram = (path: string) => `import { appendFileSync, openSync, writeSync } from 'node:fs';
import { addLine, changeLines } from ${JSON.stringify(join(root, 'src', 'platform', 'manifest-file.ts'))};
const [how, row, count] = process.argv.slice(2);
const path = ${JSON.stringify(path)};
const line = (place) => JSON.stringify({ id: 'T' + String(Number(row) + 1).padStart(3, '0') + '-' + place, file: 'x.md', title: 'x'.repeat((place * 97) % 3000), status: 'complete' });
const pause = (ms) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
const handle = how === 'held' ? openSync(path, 'a') : 0;
for (let place = 0; place < Number(count); place++) {
  if (how === 'add') addLine(path, () => line(place));
  if (how === 'hand') appendFileSync(path, line(place) + '\\n');
  if (how === 'held') writeSync(handle, line(place) + '\\n');
  if (how === 'change') changeLines(path, (lines) => lines.map((text) => (text.includes('T001-0"') ? { text: JSON.stringify({ ...JSON.parse(text), actionable: place % 2 === 0 }) } : 'keep')));
  if (how !== 'add') pause(how === 'change' ? 5 : 1);
}`;

async function createWriters(): Promise<{ path: string; run(how: string, row: number, count: number): Promise<number> }> {
  const folder = createFaultFolder();
  const path = join(folder, 'MANIFEST.jsonl');
  const bundle = join(folder, 'work.mjs');
  await build({
    stdin: { contents: createProgram(path), resolveDir: folder, loader: 'ts' },
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    outfile: bundle,
    logLevel: 'error',
  });
  const run = async (how: string, row: number, count: number): Promise<number> => {
    const child = spawn(runtimePath, [bundle, how, String(row), String(count)], { stdio: ['ignore', 'inherit', 'inherit'] });
    return (await once(child, 'close'))[0];
  };
  return { path, run };
}

const listIds = (text: string): string[] => parseManifest(text).entries.map(({ entry }) => entry.id);
const createEntryIds = (row: number, count: number): string[] =>
  Array.from({ length: count }, (_, i) => `T${String(row + 1).padStart(3, '0')}-${i}`);

test('two processes that append 500 entries each leave 1,000 complete lines', async () => {
  const { path, run } = await createWriters();
  const count = pickSize(100, 500);
  expect(await Promise.all([run('add', 0, count), run('add', 1, count)])).toEqual([0, 0]);
  const text = readFileSync(path, 'utf8');
  expect(text.split('\n')).toHaveLength(2 * count + 1);
  expect(parseManifest(text).problems).toEqual([]);
  for (const row of [0, 1])
    expect(listIds(text).filter((id) => createEntryIds(row, 1)[0]!.startsWith(id.split('-')[0]!))).toEqual(createEntryIds(row, count));
});

test('a rewrite loses no lines appended by agents or by cleo', async () => {
  const { path, run } = await createWriters();
  const count = pickSize(100, 500);
  expect(await run('add', 0, 1)).toBe(0);
  const codes = await Promise.all([run('add', 1, count / 4), run('hand', 2, count), run('held', 3, count), run('change', 9, count / 4)]);
  expect(codes).toEqual([0, 0, 0, 0]);
  // Lines appended to a replaced file at the very end are carried over by the next write.
  expect(await run('add', 8, 1)).toBe(0);
  const text = readFileSync(path, 'utf8');
  const { problems } = parseManifest(text);
  expect(problems).toEqual([]);
  const wanted = [
    ...createEntryIds(0, 1),
    ...createEntryIds(1, count / 4),
    ...createEntryIds(2, count),
    ...createEntryIds(3, count),
    ...createEntryIds(8, 1),
  ];
  expect(listIds(text).sort()).toEqual(wanted.sort());
});

test('concurrent add and link commands all take effect', async () => {
  const project = await createFaultProject();
  await project.runOk(['add', 'Find out']);
  await project.runOk(['add', 'Read on']);
  const [rows, length] = [3, pickSize(4, 40)];
  const ended = await runInRows(rows, length, async (row, place) => {
    const id = `T001-row-${row}-${place}`;
    const added = await project.run([
      'research',
      'add',
      '--id',
      id,
      '--file',
      'a.md',
      '--title',
      'A',
      '--status',
      'complete',
      '--linked-tasks',
      'T1',
    ]);
    return [added.exitCode, (await project.run(['research', 'link', 'T002', id])).exitCode];
  });
  expect(ended).toEqual(Array(rows * length).fill([0, 0]));
  const { entries } = await project.runOk(['research', 'list', '--limit', '1000']);
  expect(entries).toHaveLength(rows * length);
  expect(entries.filter(({ linked_tasks }: { linked_tasks: string[] }) => linked_tasks.join() !== 'T001,T002')).toEqual([]);
});

test('one of two concurrent adds of the same id fails', async () => {
  const project = await createFaultProject();
  for (let round = 0; round < pickSize(2, 10); round++) {
    const add = () => project.run(['research', 'add', '--id', `T001-x${round}`, '--file', 'a.md', '--title', 'A', '--status', 'complete']);
    expect((await Promise.all([add(), add()])).map(({ exitCode }) => exitCode).sort()).toEqual([0, 22]);
  }
});
