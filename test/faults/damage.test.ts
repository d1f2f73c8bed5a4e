import { execFileSync } from 'node:child_process';
import {
  closeSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  checkIntegrity,
  createFaultFolder,
  createFaultProject,
  type FaultProject,
  openFaultProject,
  pickSize,
  queryDatabase,
  readBytes,
  root,
} from './processes.ts';

const pageSize = 4096;

/** A project with twenty tasks, all in the database itself: the log is empty and gone. */
let template: string;

beforeAll(async () => {
  template = mkdtempSync(join(tmpdir(), 'cleo-sound-'));
  const { runOk: done, database } = openFaultProject(template);
  writeFileSync(join(template, 'batch.json'), JSON.stringify(Array.from({ length: 20 }, (_, i) => ({ title: `Task ${i + 1}` }))));
  await done(['init']);
  await done(['add-batch', '--file', 'batch.json']);
  expect(checkIntegrity(database)).toBe('ok');
  expect(existsSync(`${database}-wal`)).toBe(false);
});
afterAll(() => rmSync(template, { recursive: true, force: true }));

function settled(): FaultProject {
  const folder = createFaultFolder();
  cpSync(template, folder, { recursive: true });
  return openFaultProject(folder);
}

function overwrite(path: string, at: number, length: number): void {
  const file = openSync(path, 'r+');
  writeSync(file, Buffer.from(Array.from({ length }, (_, i) => (i * 37 + 11) % 256)), 0, length, at);
  closeSync(file);
}

const pageOf = (path: string, table: string): number =>
  Number(queryDatabase(path, `select rootpage from sqlite_schema where name = '${table}'`)[0]?.rootpage);

const kinds: Record<string, (path: string) => void> = {
  'zero bytes': (path) => truncateSync(path, 0),
  missing: (path) => rmSync(path),
  'a garbage header': (path) => overwrite(path, 0, 100),
  'garbage from beginning to end': (path) => overwrite(path, 0, statSync(path).size),
  'half of it gone': (path) => truncateSync(path, statSync(path).size / 2 - 100),
  'only its first page left': (path) => truncateSync(path, pageSize),
  'garbage in a page in the middle': (path) => overwrite(path, (pageOf(path, 'tasks') - 1) * pageSize, pageSize),
  "another program's database": (path) => {
    rmSync(path);
    execFileSync(
      process.execPath,
      ['-e', `new (require('@photostructure/sqlite').DatabaseSync)(process.argv[1]).exec('create table tasks (x)')`, path],
      { cwd: root },
    );
  },
  'a text file': (path) => writeFileSync(path, 'To do: write the parser\n'.repeat(50)),
  'a folder in its place': (path) => {
    rmSync(path);
    mkdirSync(path);
  },
};

for (const [kind, damage] of Object.entries(kinds))
  test(`damage (${kind}): every call is 3 and names the file, which stays as it is; a sound file in its place just works`, async () => {
    const { run, runOk: done, database } = settled();
    const sound = readFileSync(database);
    damage(database);
    const before = seen(database);
    for (const args of [['show', 'T001'], ['list'], ['add', 'One more'], ['update', 'T001', '--notes', 'a note'], ['complete', 'T001']]) {
      const { exitCode, answer, stderr } = await run(args);
      expect([args[0], exitCode, stderr]).toEqual([args[0], 3, '']);
      expect(answer.error.message).toContain(database);
      expect(answer.error.message).toContain('There is no backup');
      expect(seen(database)).toEqual(before);
    }
    rmSync(database, { recursive: true, force: true });
    writeFileSync(database, sound);
    expect((await done(['add', 'One more'])).task.id).toBe('T021');
  });

test('damage names the newest backup, and the fix brings the project back', async () => {
  const { run, runOk: done, database } = settled();
  await done(['backup']);
  overwrite(database, 0, 100);
  const before = readBytes(database);
  const { exitCode, answer } = await run(['add', 'One more']);
  expect([exitCode, readBytes(database) === before]).toEqual([3, true]);
  expect(answer.error.fix).toMatch(/^cleo backup restore \S+$/);
  expect(answer.error.message).toContain(answer.error.fix.split(' ').at(-1));
  await done(answer.error.fix.split(' ').slice(1));
  expect((await done(['show', 'T020'])).task.title).toBe('Task 20');
  expect((await done(['add', 'One more'])).task.id).toBe('T021');
  expect(checkIntegrity(database)).toBe('ok');
});

test('damage where a write has to go but a read does not: reads go on, the write is 3 and changes nothing', async () => {
  const { run, runOk: done, database } = settled();
  overwrite(database, (pageOf(database, 'audit_log') - 1) * pageSize, pageSize);
  const before = readBytes(database);
  expect((await done(['show', 'T007'])).task.title).toBe('Task 7');
  expect((await done(['list'])).tasks).toHaveLength(20);
  const { exitCode, answer } = await run(['add', 'One more']);
  expect([exitCode, answer.error.code]).toEqual([3, 'E_STORE_DAMAGED']);
  expect(readBytes(database)).toBe(before);
  expect((await done(['list'])).tasks).toHaveLength(20);
});

test('a log of garbage is no log: what the database holds is there, and the next write goes on from it', async () => {
  const { runOk: done, database } = settled();
  for (const length of [10, 32, 5000, 100_000]) {
    writeFileSync(`${database}-wal`, Buffer.alloc(length, 0xa7));
    rmSync(`${database}-shm`, { force: true });
    expect((await done(['show', 'T020'])).task.title).toBe('Task 20');
  }
  expect((await done(['add', 'One more'])).task.id).toBe('T021');
  expect((await done(['show', 'T021'])).task.title).toBe('One more');
  expect(checkIntegrity(database)).toBe('ok');
});

test('a log whose end is torn or garbled keeps every write before that point, and none in part', async () => {
  const { run, runOk: done, database } = await createFaultProject();
  for (let i = 1; i <= 6; i++) await done(['add', `Task ${i}`]);
  const files = ['', '-wal'].map((end) => readFileSync(`${database}${end}`));
  const length = files[1]!.length;
  for (let cut = 0; cut < pickSize(6, 40); cut++) {
    writeFileSync(database, files[0]!);
    writeFileSync(`${database}-wal`, files[1]!);
    rmSync(`${database}-shm`, { force: true });
    const at = Math.floor(length * Math.random());
    if (cut % 2) truncateSync(`${database}-wal`, at);
    else overwrite(`${database}-wal`, at, Math.min(200, length - at));
    const { tasks = [] } = (await run(['list'])).answer;
    expect(tasks.map((task: { title: string }) => task.title)).toEqual(tasks.map((_: unknown, i: number) => `Task ${i + 1}`));
    expect((await done(['add', 'The next'])).task.id).toBe(`T00${tasks.length + 1}`);
    expect(checkIntegrity(database)).toBe('ok');
  }
});

test('a store of a newer version is refused with 8, by reads and writes, and stays as it is', async () => {
  const { run, database } = settled();
  execFileSync(
    process.execPath,
    [
      '-e',
      `new (require('@photostructure/sqlite').DatabaseSync)(process.argv[1]).exec("insert into schema_migrations values (999, 'x', 'x')")`,
      database,
    ],
    { cwd: root },
  );
  const before = readBytes(database);
  for (const args of [['show', 'T001'], ['list'], ['add', 'One more'], ['complete', 'T001']]) {
    const { exitCode, answer } = await run(args);
    expect([args[0], exitCode, answer.error.code]).toEqual([args[0], 8, 'E_STORE_NEWER']);
  }
  expect(readBytes(database)).toBe(before);
});

test('init does not make a new store over a damaged one', async () => {
  const { run, database } = settled();
  for (const damage of [kinds['zero bytes']!, kinds['a garbage header']!]) {
    damage(database);
    const before = readBytes(database);
    await run(['init']);
    expect(readBytes(database)).toBe(before);
  }
});

const seen = (path: string): unknown => (existsSync(path) ? (statSync(path).isFile() ? readBytes(path) : 'a folder') : 'nothing');
