import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, test } from 'vitest';
import type { TaskRecord } from '#tasks/model/task.ts';
import { asNobody, temporary } from '../../../test/temporary.ts';
import type { Store } from '../port.ts';
import { openSqlite, type SqliteOptions } from './sqlite.ts';
import { type SqliteDatabase, type SqliteDriver, sqliteDriver } from './sqlite-driver.ts';
import { asCleoError } from './sqlite-errors.ts';
import { inspectSqlite } from './sqlite-restore.ts';
import { createSqlite } from './sqlite-schema.ts';

const stamp = { at: '2026-01-01T00:00:00.000Z', by: 'tester' };
const open = (path: string, more: Partial<SqliteOptions> = {}): Store =>
  openSqlite({ path, mode: 'write', busyTimeoutMs: 1000, durability: 'full', newestBackup: () => undefined, ...more });
const refusal = (code: string, exitCode: number, message = '') =>
  expect.objectContaining({ code, exitCode, message: expect.stringContaining(message) });
const task = (id: string): TaskRecord => ({
  id,
  type: 'task',
  title: `Task ${id}`,
  status: 'pending',
  priority: 'medium',
  labels: [],
  depends: [],
  acceptance: [],
  files: [],
  createdAt: stamp.at,
  createdBy: stamp.by,
  updatedAt: stamp.at,
  revision: 1,
});
const add = (store: Store): Promise<string> =>
  store.write(stamp, async ({ tasks }) => {
    const id = await tasks.nextId();
    await tasks.insert(task(id));
    return id;
  });
const ids = (store: Store): Promise<string[]> => store.read(async ({ tasks }) => (await tasks.kin()).map(({ id }) => id));

async function fresh(name = 'cleo.db'): Promise<string> {
  const path = join(temporary(), name);
  mkdirSync(dirname(path), { recursive: true });
  expect(await createSqlite(path, stamp.at)).toBe(true);
  return path;
}

async function collect(): Promise<void> {
  setFlagsFromString('--expose-gc');
  const gc = runInNewContext('gc') as () => void;
  for (let i = 0; i < 3; i++) {
    gc();
    // What is to be done on collection is done after it.
    await new Promise((resolve) => setImmediate(resolve));
  }
}

function replace(path: string, make: () => void): void {
  rmSync(path);
  make();
}

function execute(path: string, statements: string): void {
  const database = new (sqliteDriver().DatabaseSync)(path, {});
  database.exec(statements);
  database.close();
}

describe('making one', () => {
  test('it is whole, sound, and in one file', async () => {
    const path = await fresh();
    expect(readdirSync(dirname(path))).toEqual([basename(path)]);
    expect(inspectSqlite(path)).toMatchObject({ isThere: true, problems: [] });
    expect(statSync(path).size).toBeLessThan(640 * 1024);
  });

  test('of many at once one does, and nothing is left beside', async () => {
    const path = join(temporary(), 'cleo.db');
    const made = await Promise.all(Array.from({ length: 8 }, () => createSqlite(path, stamp.at)));
    expect(made.filter(Boolean)).toHaveLength(1);
    expect(readdirSync(dirname(path))).toEqual(['cleo.db']);
  });

  test('what is there stays, whatever it is', async () => {
    const path = join(temporary(), 'cleo.db');
    writeFileSync(path, '');
    expect(await createSqlite(path, stamp.at)).toBe(false);
    expect(statSync(path).size).toBe(0);
  });

  test('where it cannot be made it is 3, and leaves nothing', async () => {
    const folder = temporary();
    chmodSync(folder, 0o555);
    await expect(asNobody(() => createSqlite(join(folder, 'cleo.db'), stamp.at))).rejects.toThrow(
      refusal('E_FILE_ERROR', 3, 'permission denied'),
    );
    chmodSync(folder, 0o755);
    expect(readdirSync(folder)).toEqual([]);
  });
});

describe('a file that is no store of ours is 3 and stays as it is', () => {
  test.each<[string, (path: string) => void, string]>([
    ['missing', (path) => rmSync(path), 'missing'],
    ['empty', (path) => truncateSync(path, 0), '0 bytes'],
    ['a folder', (path) => replace(path, () => mkdirSync(path)), 'not a file'],
    ['a text', (path) => writeFileSync(path, 'To do: write the parser\n'.repeat(100)), 'not a database'],
    ['cut in half', (path) => truncateSync(path, Math.floor(statSync(path).size / 2)), 'damaged'],
    ["another program's", (path) => replace(path, () => execute(path, 'create table tasks (x)')), 'not a cleo database'],
  ])('%s', async (_, damage, problem) => {
    const path = await fresh();
    damage(path);
    const seen = () => (existsSync(path) ? (statSync(path).isFile() ? readFileSync(path, 'latin1') : 'a folder') : 'nothing');
    const before = seen();
    for (const mode of ['read', 'write'] as const) {
      const use = async () => {
        const store = open(path, { mode, newestBackup: () => 'backup-7' });
        return mode === 'read' ? ids(store) : add(store);
      };
      await expect(use()).rejects.toThrow(refusal('E_STORE_DAMAGED', 3, problem));
      await expect(use()).rejects.toThrow(expect.objectContaining({ fix: 'cleo backup restore backup-7' }));
    }
    expect(seen()).toBe(before);
    expect(inspectSqlite(path).problems.length).toBeGreaterThan(0);
  });

  test('a newer and an older one are 8', async () => {
    const path = await fresh();
    execute(path, "insert into schema_migrations values (999, 'x', 'x')");
    await expect(ids(open(path))).rejects.toThrow(refusal('E_STORE_NEWER', 8));
    await expect(open(path).migrate()).rejects.toThrow(refusal('E_STORE_NEWER', 8));
    execute(path, "delete from schema_migrations; insert into schema_migrations values (0, 'x', 'x')");
    await expect(ids(open(path))).rejects.toThrow(refusal('E_STORE_OLDER', 8));
  });
});

test.each<[object, string, number]>([
  [{ errcode: 5 }, 'E_LOCK_TIMEOUT', 7],
  [{ errcode: 261 }, 'E_LOCK_TIMEOUT', 7],
  [{ errcode: 6 }, 'E_LOCK_TIMEOUT', 7],
  [{ errcode: 15 }, 'E_LOCK_TIMEOUT', 7],
  [{ errcode: 11 }, 'E_STORE_DAMAGED', 3],
  [{ errcode: 267 }, 'E_STORE_DAMAGED', 3],
  [{ errcode: 26 }, 'E_STORE_DAMAGED', 3],
  [{ errcode: 13 }, 'E_FILE_ERROR', 3],
  [{ errcode: 8 }, 'E_FILE_ERROR', 3],
  [{ errcode: 10 }, 'E_FILE_ERROR', 3],
  [{ errcode: 778 }, 'E_FILE_ERROR', 3],
  [{ errcode: 14 }, 'E_FILE_ERROR', 3],
  [{ message: 'database is locked' }, 'E_LOCK_TIMEOUT', 7],
  [{ message: 'database or disk is full' }, 'E_FILE_ERROR', 3],
  [{ message: 'database disk image is malformed' }, 'E_STORE_DAMAGED', 3],
  [{ code: 'ENOSPC' }, 'E_FILE_ERROR', 3],
  [{ code: 'EROFS' }, 'E_FILE_ERROR', 3],
])('what SQLite reports as %j is %s', (given, code, exitCode) => {
  const error = Object.assign(new Error('as SQLite says'), { code: 'ERR_SQLITE_ERROR' }, given);
  expect(asCleoError(error, { path: 'x', busyTimeoutMs: 1, newestBackup: () => undefined })).toMatchObject({ code, exitCode });
});

test('a mistake of ours stays what it is', () => {
  const error = Object.assign(new Error('no such column: x'), { code: 'ERR_SQLITE_ERROR', errcode: 1 });
  expect(asCleoError(error, { path: 'x', busyTimeoutMs: 1, newestBackup: () => undefined })).toBe(error);
});

describe('a folder that cannot be written', () => {
  test.each(['cleo.db', 'with space/cleo.db', 'ques?tion#mark/cleo.db', "it's 100%25/cleo.db", 'Ünï/cleo.db'])(
    '%s: reads go on, writes are 3',
    async (name) => {
      const path = await fresh(name);
      const store = open(path);
      await add(store);
      await store.close();
      const alone = join(temporary(), name);
      mkdirSync(dirname(alone), { recursive: true });
      copyFileSync(path, alone);
      chmodSync(alone, 0o444);
      for (let folder = dirname(alone); folder.includes('cleo-unit'); folder = dirname(folder)) chmodSync(folder, 0o555);
      try {
        const read = asNobody(() => open(alone, { mode: 'read' }));
        expect(await ids(read)).toEqual(['T001']);
        await expect(asNobody(async () => add(open(alone)))).rejects.toThrow(refusal('E_FILE_ERROR', 3));
        expect(readdirSync(dirname(alone))).toEqual(['cleo.db']);
      } finally {
        for (let folder = dirname(alone); folder.includes('cleo-unit'); folder = dirname(folder)) chmodSync(folder, 0o755);
      }
    },
  );
});

describe('room runs out', () => {
  /** A database that may not grow by more than this many pages: to SQLite, a full disk. */
  const narrow = (pages: number): SqliteDriver => {
    const { DatabaseSync } = sqliteDriver();
    return {
      DatabaseSync: class {
        constructor(...given: ConstructorParameters<typeof DatabaseSync>) {
          const database = new DatabaseSync(...given);
          const [row] = database.prepare('pragma page_count').all();
          database.exec(`pragma max_page_count = ${Number(row?.page_count) + pages}`);
          // biome-ignore lint/correctness/noConstructorReturn: the driver's own object, with a limit
          return database;
        }
      } as unknown as new (
        ...given: ConstructorParameters<typeof DatabaseSync>
      ) => SqliteDatabase,
    };
  };

  test('the write is 3 and leaves no trace; reads go on; with room it goes on', async () => {
    const path = await fresh();
    const store = open(path, { driver: narrow(0) });
    const long = (id: string): TaskRecord => ({ ...task(id), description: 'x'.repeat(8000) });
    const grow = (on: Store) =>
      on.write(stamp, async ({ tasks }) => tasks.insertMany((await tasks.nextIds(50)).map((id) => ({ task: long(id), notes: [] }))));
    await expect(grow(store)).rejects.toThrow(refusal('E_FILE_ERROR', 3, 'disk is full'));
    expect(await ids(store)).toEqual([]);
    expect(await add(open(path))).toBe('T001');
  });
});

describe('several at once', () => {
  test('a lock that is not had in time is 7, and nothing was changed', async () => {
    const path = await fresh();
    const [one, other] = [open(path), open(path, { busyTimeoutMs: 30 })];
    await one.write(stamp, async () => {
      await expect(add(other)).rejects.toThrow(refusal('E_LOCK_TIMEOUT', 7));
      expect(await ids(other)).toEqual([]);
    });
    expect(await add(other)).toBe('T001');
  });

  test('calls of one process on one store take turns, and a failure stops nobody', async () => {
    const store = open(await fresh());
    const answers = await Promise.allSettled([
      ...Array.from({ length: 20 }, () => add(store)),
      store.write(stamp, async ({ tasks }) => {
        await tasks.nextId();
        throw new Error('on the way');
      }),
      ...Array.from({ length: 20 }, () => ids(store)),
      ...Array.from({ length: 20 }, () => add(store)),
    ]);
    expect(answers.filter(({ status }) => status === 'rejected')).toHaveLength(1);
    expect(await ids(store)).toEqual(Array.from({ length: 40 }, (_, i) => `T${String(i + 1).padStart(3, '0')}`));
  });
});

describe('another file takes its place', () => {
  test('what is open goes on with the new one; the old one is written to no more', async () => {
    const path = await fresh();
    const other = await fresh();
    const store = open(path);
    await add(store);
    for (const end of ['', '-wal', '-shm']) if (existsSync(`${path}${end}`)) renameSync(`${path}${end}`, `${path}.old${end}`);
    renameSync(other, path);
    expect(await ids(store)).toEqual([]);
    expect(await add(store)).toBe('T001');
    expect(await add(store)).toBe('T002');
    expect(await ids(open(`${path}.old`))).toEqual(['T001']);
  });

  test('closing what was open leaves the log of the new one', async () => {
    const path = await fresh();
    const other = await fresh();
    const old = open(path);
    await add(old);
    for (const end of ['', '-wal', '-shm']) if (existsSync(`${path}${end}`)) renameSync(`${path}${end}`, `${path}.old${end}`);
    renameSync(other, path);
    const now = open(path);
    await add(now);
    const log = statSync(`${path}-wal`).size;
    expect(log).toBeGreaterThan(0);
    await old.close();
    // Some drivers close for good only when the last statement is collected.
    await collect();
    expect(existsSync(`${path}-wal`) && statSync(`${path}-wal`).size).toBe(log);
    expect(await ids(open(path, { mode: 'read' }))).toEqual(['T001']);
  });

  test('nothing takes its place: 3, and no new one is made', async () => {
    const path = await fresh();
    const store = open(path);
    await add(store);
    for (const end of ['', '-wal', '-shm']) rmSync(`${path}${end}`, { force: true });
    await expect(ids(store)).rejects.toThrow(refusal('E_STORE_DAMAGED', 3, 'missing'));
    await expect(add(store)).rejects.toThrow(refusal('E_STORE_DAMAGED', 3, 'missing'));
    expect(existsSync(path)).toBe(false);
  });
});

describe('the log', () => {
  test('is emptied when it has grown, and that is told', async () => {
    const path = await fresh();
    let grown = 0;
    const store = open(path, { onGrowth: async () => void grown++ });
    await add(store);
    expect([grown, statSync(`${path}-wal`).size > 0]).toEqual([0, true]);
    const many = { ...task('T900'), description: 'x'.repeat(8000) };
    await store.write(stamp, async ({ tasks }) =>
      tasks.insertMany((await tasks.nextIds(200)).map((id) => ({ task: { ...many, id }, notes: [] }))),
    );
    expect([grown, statSync(`${path}-wal`).size]).toEqual([1, 0]);
  });

  test('is emptied by closing a store that writes', async () => {
    const path = await fresh();
    const store = open(path);
    await add(store);
    await store.close();
    expect(existsSync(`${path}-wal`) ? statSync(`${path}-wal`).size : 0).toBe(0);
  });
});

test('opening, reading and closing change no byte', async () => {
  const path = await fresh();
  await add(open(path));
  const bytes = () => [readFileSync(path, 'latin1'), readFileSync(`${path}-wal`, 'latin1')];
  const before = bytes();
  const reader = open(path, { mode: 'read' });
  expect(await ids(reader)).toEqual(['T001']);
  await reader.close();
  open(path);
  expect(bytes()).toEqual(before);
});

test('an older schema is migrated only behind the copy that is made before', async () => {
  const path = join(temporary(), 'cleo.db');
  execute(
    path,
    "create table schema_migrations (version integer primary key, checksum text not null, applied_at text not null); insert into schema_migrations values (0, 'x', 'x')",
  );
  const failing = open(path, {
    beforeMigration: async () => {
      throw new Error('no room for a copy');
    },
  });
  await expect(failing.migrate()).rejects.toThrow('no room for a copy');
  expect(inspectSqlite(path)).toMatchObject({ schema: 0 });
  const copy = join(dirname(path), "it's a copy.db");
  const store = open(path, { beforeMigration: ({ backupTo }) => backupTo(copy) });
  expect(await store.migrate()).toMatchObject({ from: 0 });
  expect(inspectSqlite(copy)).toMatchObject({ schema: 0, problems: [] });
  expect(await add(store)).toBe('T001');
});

test('statements survive the garbage collector: the store holds what they need', async () => {
  const path = await fresh();
  const stores = Array.from({ length: 5 }, () => open(path));
  for (let round = 0; round < 10; round++) {
    for (const store of stores) await add(store);
    await collect();
    for (const store of stores) expect((await ids(store)).length).toBe((round + 1) * stores.length);
    await collect();
  }
});
