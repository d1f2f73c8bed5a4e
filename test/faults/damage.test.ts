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
import { cleoLine, runAtTerminal } from '../terminal-session.ts';
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

/** A project with twenty tasks and no write-ahead log. */
let template: string;

beforeAll(async () => {
  template = mkdtempSync(join(tmpdir(), 'cleo-sound-'));
  const { runOk, database } = openFaultProject(template);
  writeFileSync(join(template, 'batch.json'), JSON.stringify(Array.from({ length: 20 }, (_, i) => ({ title: `Task ${i + 1}` }))));
  await runOk(['init']);
  await runOk(['add-batch', '--file', 'batch.json']);
  expect(checkIntegrity(database)).toBe('ok');
  expect(existsSync(`${database}-wal`)).toBe(false);
});
afterAll(() => rmSync(template, { recursive: true, force: true }));

function copyProject(): FaultProject {
  const folder = createFaultFolder();
  cpSync(template, folder, { recursive: true });
  return openFaultProject(folder);
}

function overwrite(path: string, at: number, length: number): void {
  const file = openSync(path, 'r+');
  writeSync(file, Buffer.from(Array.from({ length }, (_, i) => (i * 37 + 11) % 256)), 0, length, at);
  closeSync(file);
}

const getRootPage = (path: string, table: string): number =>
  Number(queryDatabase(path, `select rootpage from sqlite_schema where name = '${table}'`)[0]?.rootpage);

const kinds: Record<string, (path: string) => void> = {
  'zero bytes': (path) => truncateSync(path, 0),
  missing: (path) => rmSync(path),
  'a garbage header': (path) => overwrite(path, 0, 100),
  'only garbage': (path) => overwrite(path, 0, statSync(path).size),
  'cut in half': (path) => truncateSync(path, statSync(path).size / 2 - 100),
  'only the first page': (path) => truncateSync(path, pageSize),
  'garbage in a page in the middle': (path) => overwrite(path, (getRootPage(path, 'tasks') - 1) * pageSize, pageSize),
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
  test(`damage (${kind}): every call fails with exit code 3 and the path, and changes nothing; a sound file works again`, async () => {
    const { run, runOk, database } = copyProject();
    const sound = readFileSync(database);
    damage(database);
    const before = readState(database);
    for (const args of [['show', 'T001'], ['list'], ['add', 'One more'], ['update', 'T001', '--notes', 'a note'], ['complete', 'T001']]) {
      const { exitCode, answer, stderr } = await run(args);
      expect([args[0], exitCode, stderr]).toEqual([args[0], 3, '']);
      expect(answer.error.message).toContain(database);
      expect(answer.error.message).toContain('There is no backup');
      expect(readState(database)).toEqual(before);
    }
    rmSync(database, { recursive: true, force: true });
    writeFileSync(database, sound);
    expect((await runOk(['add', 'One more'])).task.id).toBe('T021');
  });

test('names the newest backup, and the fix restores it', async () => {
  const { run, runOk, database, root: folder } = copyProject();
  await runOk(['backup']);
  overwrite(database, 0, 100);
  const before = readBytes(database);
  const { exitCode, answer } = await run(['add', 'One more']);
  expect([exitCode, readBytes(database) === before]).toEqual([3, true]);
  const [, id = ''] = /^(?:Ask a person to run: )?cleo backup restore (\S+)$/.exec(answer.error.fix) ?? [];
  expect(answer.error.message).toContain(id);
  // A damaged store has no tokens, so the person is at a terminal.
  const env = { CLEO_HOME: join(folder, '.home') };
  await runAtTerminal(cleoLine('backup', 'restore', id), { cwd: folder, env, answers: [[/to confirm: /, `${id}\n`]] });
  expect((await runOk(['show', 'T020'])).task.title).toBe('Task 20');
  expect((await runOk(['add', 'One more'])).task.id).toBe('T021');
  expect(checkIntegrity(database)).toBe('ok');
});

test('damage that only affects writes: reads succeed, the write fails with exit code 3 and changes nothing', async () => {
  const { run, runOk, database } = copyProject();
  overwrite(database, (getRootPage(database, 'audit_log') - 1) * pageSize, pageSize);
  const before = readBytes(database);
  expect((await runOk(['show', 'T007'])).task.title).toBe('Task 7');
  expect((await runOk(['list'])).tasks).toHaveLength(20);
  const { exitCode, answer } = await run(['add', 'One more']);
  expect([exitCode, answer.error.code]).toEqual([3, 'E_STORE_DAMAGED']);
  expect(readBytes(database)).toBe(before);
  expect((await runOk(['list'])).tasks).toHaveLength(20);
});

test('a garbage log is ignored, and the next write continues from the database', async () => {
  const { runOk, database } = copyProject();
  for (const length of [10, 32, 5000, 100_000]) {
    writeFileSync(`${database}-wal`, Buffer.alloc(length, 0xa7));
    rmSync(`${database}-shm`, { force: true });
    expect((await runOk(['show', 'T020'])).task.title).toBe('Task 20');
  }
  expect((await runOk(['add', 'One more'])).task.id).toBe('T021');
  expect((await runOk(['show', 'T021'])).task.title).toBe('One more');
  expect(checkIntegrity(database)).toBe('ok');
});

test('a damaged end of the log keeps every complete write before it', async () => {
  const { run, runOk, database } = await createFaultProject();
  for (let i = 1; i <= 6; i++) await runOk(['add', `Task ${i}`]);
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
    expect((await runOk(['add', 'The next'])).task.id).toBe(`T00${tasks.length + 1}`);
    expect(checkIntegrity(database)).toBe('ok');
  }
});

test('a newer store fails with exit code 8 on reads and writes, and is not changed', async () => {
  const { run, database } = copyProject();
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

test('init does not replace a damaged store', async () => {
  const { run, database } = copyProject();
  for (const damage of [kinds['zero bytes']!, kinds['a garbage header']!]) {
    damage(database);
    const before = readBytes(database);
    await run(['init']);
    expect(readBytes(database)).toBe(before);
  }
});

const readState = (path: string): unknown => (existsSync(path) ? (statSync(path).isFile() ? readBytes(path) : 'a folder') : 'nothing');
