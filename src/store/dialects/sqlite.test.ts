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
import { createTaskRecord } from '../../../test/task-record.ts';
import { createTempFolder, runAsNobody } from '../../../test/temp-folder.ts';
import type { Store } from '../port/store.ts';
import { openSqlite, type SqliteOptions } from './sqlite.ts';
import { fromSqliteError, loadSqliteDriver, type SqliteDatabase, type SqliteDriver } from './sqlite-driver.ts';
import { inspectSqlite } from './sqlite-restore.ts';
import { createSqlite } from './sqlite-schema.ts';

const stamp = { at: '2026-01-01T00:00:00.000Z', by: 'tester' };
const open = (path: string, more: Partial<SqliteOptions> = {}): Store =>
  openSqlite({ path, mode: 'write', busyTimeoutMs: 1000, durability: 'full', newestBackup: () => undefined, ...more });
const matchError = (code: string, exitCode: number, message = '') =>
  expect.objectContaining({ code, exitCode, message: expect.stringContaining(message) });
const addTask = (store: Store): Promise<string> =>
  store.write(stamp, async ({ tasks }) => {
    const id = await tasks.nextId();
    await tasks.insert(createTaskRecord(id));
    return id;
  });
const listIds = (store: Store): Promise<string[]> => store.read(async ({ tasks }) => (await tasks.listHierarchy()).map(({ id }) => id));

async function createStore(name = 'cleo.db'): Promise<string> {
  const path = join(createTempFolder(), name);
  mkdirSync(dirname(path), { recursive: true });
  expect(await createSqlite(path, stamp.at)).toBe(true);
  return path;
}

async function collectGarbage(): Promise<void> {
  setFlagsFromString('--expose-gc');
  const gc = runInNewContext('gc') as () => void;
  for (let i = 0; i < 3; i++) {
    gc();
    // Finalizers run after the collection.
    await new Promise((resolve) => setImmediate(resolve));
  }
}

function replace(path: string, make: () => void): void {
  rmSync(path);
  make();
}

function execute(path: string, statements: string): void {
  const database = new (loadSqliteDriver().DatabaseSync)(path, {});
  database.exec(statements);
  database.close();
}

describe('creating a database', () => {
  test('creates one sound file', async () => {
    const path = await createStore();
    expect(readdirSync(dirname(path))).toEqual([basename(path)]);
    expect(inspectSqlite(path)).toMatchObject({ exists: true, problems: [] });
    expect(statSync(path).size).toBeLessThan(640 * 1024);
  });

  test('lets one of several concurrent calls win and leaves no other files', async () => {
    const path = join(createTempFolder(), 'cleo.db');
    const made = await Promise.all(Array.from({ length: 8 }, () => createSqlite(path, stamp.at)));
    expect(made.filter(Boolean)).toHaveLength(1);
    expect(readdirSync(dirname(path))).toEqual(['cleo.db']);
  });

  test('does not replace an existing file', async () => {
    const path = join(createTempFolder(), 'cleo.db');
    writeFileSync(path, '');
    expect(await createSqlite(path, stamp.at)).toBe(false);
    expect(statSync(path).size).toBe(0);
  });

  test('fails with exit code 3 and leaves no file if the folder is not writable', async () => {
    const folder = createTempFolder();
    chmodSync(folder, 0o555);
    await expect(runAsNobody(() => createSqlite(join(folder, 'cleo.db'), stamp.at))).rejects.toThrow(
      matchError('E_FILE_ERROR', 3, 'permission denied'),
    );
    chmodSync(folder, 0o755);
    expect(readdirSync(folder)).toEqual([]);
  });
});

describe('a file that is not a cleo database fails with exit code 3 and is not changed', () => {
  test.each<[string, (path: string) => void, string]>([
    ['missing', (path) => rmSync(path), 'missing'],
    ['empty', (path) => truncateSync(path, 0), '0 bytes'],
    ['a folder', (path) => replace(path, () => mkdirSync(path)), 'not a file'],
    ['a text', (path) => writeFileSync(path, 'To do: write the parser\n'.repeat(100)), 'not a database'],
    ['cut in half', (path) => truncateSync(path, Math.floor(statSync(path).size / 2)), 'damaged'],
    ["another program's", (path) => replace(path, () => execute(path, 'create table tasks (x)')), 'not a cleo database'],
  ])('%s', async (_, damage, problem) => {
    const path = await createStore();
    damage(path);
    const seen = () => (existsSync(path) ? (statSync(path).isFile() ? readFileSync(path, 'latin1') : 'a folder') : 'nothing');
    const before = seen();
    for (const mode of ['read', 'write'] as const) {
      const use = async () => {
        const store = open(path, { mode, newestBackup: () => 'backup-7' });
        return mode === 'read' ? listIds(store) : addTask(store);
      };
      await expect(use()).rejects.toThrow(matchError('E_STORE_DAMAGED', 3, problem));
      await expect(use()).rejects.toThrow(expect.objectContaining({ fix: 'cleo backup restore backup-7' }));
    }
    expect(seen()).toBe(before);
    expect(inspectSqlite(path).problems.length).toBeGreaterThan(0);
  });

  test('a newer or older schema fails with exit code 8', async () => {
    const path = await createStore();
    execute(path, "insert into schema_migrations values (999, 'x', 'x')");
    await expect(listIds(open(path))).rejects.toThrow(matchError('E_STORE_NEWER', 8));
    await expect(open(path).migrate()).rejects.toThrow(matchError('E_STORE_NEWER', 8));
    execute(path, "delete from schema_migrations; insert into schema_migrations values (0, 'x', 'x')");
    await expect(listIds(open(path))).rejects.toThrow(matchError('E_STORE_OLDER', 8));
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
])('converts the SQLite error %j to %s', (given, code, exitCode) => {
  const error = Object.assign(new Error('as SQLite says'), { code: 'ERR_SQLITE_ERROR' }, given);
  expect(fromSqliteError(error, { path: 'x', busyTimeoutMs: 1, newestBackup: () => undefined })).toMatchObject({ code, exitCode });
});

test('does not convert an error in a statement', () => {
  const error = Object.assign(new Error('no such column: x'), { code: 'ERR_SQLITE_ERROR', errcode: 1 });
  expect(fromSqliteError(error, { path: 'x', busyTimeoutMs: 1, newestBackup: () => undefined })).toBe(error);
});

describe('a read-only folder', () => {
  test.each(['cleo.db', 'with space/cleo.db', 'ques?tion#mark/cleo.db', "it's 100%25/cleo.db", 'Ünï/cleo.db'])(
    '%s: reads succeed, writes fail with exit code 3',
    async (name) => {
      const path = await createStore(name);
      const store = open(path);
      await addTask(store);
      await store.close();
      const alone = join(createTempFolder(), name);
      mkdirSync(dirname(alone), { recursive: true });
      copyFileSync(path, alone);
      chmodSync(alone, 0o444);
      for (let folder = dirname(alone); folder.includes('cleo-unit'); folder = dirname(folder)) chmodSync(folder, 0o555);
      try {
        const read = runAsNobody(() => open(alone, { mode: 'read' }));
        expect(await listIds(read)).toEqual(['T001']);
        await expect(runAsNobody(async () => addTask(open(alone)))).rejects.toThrow(matchError('E_FILE_ERROR', 3));
        expect(readdirSync(dirname(alone))).toEqual(['cleo.db']);
      } finally {
        for (let folder = dirname(alone); folder.includes('cleo-unit'); folder = dirname(folder)) chmodSync(folder, 0o755);
      }
    },
  );
});

describe('a full disk', () => {
  /** A driver whose databases cannot grow by more than `pages`, which SQLite reports as a full disk. */
  const createLimitedDriver = (pages: number): SqliteDriver => {
    const { DatabaseSync } = loadSqliteDriver();
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

  test('a write fails with exit code 3 and changes nothing; reads succeed, and later writes with more space', async () => {
    const path = await createStore();
    const store = open(path, { driver: createLimitedDriver(0) });
    const long = (id: string): TaskRecord => ({ ...createTaskRecord(id), description: 'x'.repeat(8000) });
    const grow = (on: Store) =>
      on.write(stamp, async ({ tasks }) => tasks.insertMany((await tasks.nextIds(50)).map((id) => ({ task: long(id), notes: [] }))));
    await expect(grow(store)).rejects.toThrow(matchError('E_FILE_ERROR', 3, 'disk is full'));
    expect(await listIds(store)).toEqual([]);
    expect(await addTask(open(path))).toBe('T001');
  });
});

describe('concurrent calls', () => {
  test('a lock timeout fails with exit code 7 and changes nothing', async () => {
    const path = await createStore();
    const [one, other] = [open(path), open(path, { busyTimeoutMs: 30 })];
    await one.write(stamp, async () => {
      await expect(addTask(other)).rejects.toThrow(matchError('E_LOCK_TIMEOUT', 7));
      expect(await listIds(other)).toEqual([]);
    });
    expect(await addTask(other)).toBe('T001');
  });

  test('calls on one store run one after another, and a failure does not affect the others', async () => {
    const store = open(await createStore());
    const answers = await Promise.allSettled([
      ...Array.from({ length: 20 }, () => addTask(store)),
      store.write(stamp, async ({ tasks }) => {
        await tasks.nextId();
        throw new Error('on the way');
      }),
      ...Array.from({ length: 20 }, () => listIds(store)),
      ...Array.from({ length: 20 }, () => addTask(store)),
    ]);
    expect(answers.filter(({ status }) => status === 'rejected')).toHaveLength(1);
    expect(await listIds(store)).toEqual(Array.from({ length: 40 }, (_, i) => `T${String(i + 1).padStart(3, '0')}`));
  });
});

describe('the database file is replaced', () => {
  test('an open store continues with the new file and no longer writes to the old one', async () => {
    const path = await createStore();
    const other = await createStore();
    const store = open(path);
    await addTask(store);
    for (const end of ['', '-wal', '-shm']) if (existsSync(`${path}${end}`)) renameSync(`${path}${end}`, `${path}.old${end}`);
    renameSync(other, path);
    expect(await listIds(store)).toEqual([]);
    expect(await addTask(store)).toBe('T001');
    expect(await addTask(store)).toBe('T002');
    expect(await listIds(open(`${path}.old`))).toEqual(['T001']);
  });

  test('closing a store does not touch the log of the new file', async () => {
    const path = await createStore();
    const other = await createStore();
    const old = open(path);
    await addTask(old);
    for (const end of ['', '-wal', '-shm']) if (existsSync(`${path}${end}`)) renameSync(`${path}${end}`, `${path}.old${end}`);
    renameSync(other, path);
    const now = open(path);
    await addTask(now);
    const log = statSync(`${path}-wal`).size;
    expect(log).toBeGreaterThan(0);
    await old.close();
    // Some drivers close the file only when the last statement is garbage-collected.
    await collectGarbage();
    expect(existsSync(`${path}-wal`) && statSync(`${path}-wal`).size).toBe(log);
    expect(await listIds(open(path, { mode: 'read' }))).toEqual(['T001']);
  });

  test('a removed file fails with exit code 3 and is not created again', async () => {
    const path = await createStore();
    const store = open(path);
    await addTask(store);
    for (const end of ['', '-wal', '-shm']) rmSync(`${path}${end}`, { force: true });
    await expect(listIds(store)).rejects.toThrow(matchError('E_STORE_DAMAGED', 3, 'missing'));
    await expect(addTask(store)).rejects.toThrow(matchError('E_STORE_DAMAGED', 3, 'missing'));
    expect(existsSync(path)).toBe(false);
  });
});

describe('the write-ahead log', () => {
  /** Adds tasks of 8 KB with one write. */
  const addMany = (store: Store, count: number): Promise<void> =>
    store.write(stamp, async ({ tasks }) => {
      const description = 'x'.repeat(8000);
      const ids = await tasks.nextIds(count);
      await tasks.insertMany(ids.map((id) => ({ task: { ...createTaskRecord(id), description, id, uid: id }, notes: [] })));
    });
  const measureLog = (path: string): number => statSync(`${path}-wal`).size;

  test('is emptied after a large write that makes it long, and afterCheckpoint is called', async () => {
    const path = await createStore();
    let checkpoints = 0;
    const store = open(path, { afterCheckpoint: async () => void checkpoints++ });
    await addTask(store);
    expect([checkpoints, measureLog(path) > 0]).toEqual([0, true]);
    await addMany(store, 200);
    expect([checkpoints, measureLog(path)]).toEqual([1, 0]);
  });

  // `test/faults/kill.test.ts` does the same with one process for each write.
  test('is written anew from its start when it is long', async () => {
    const path = await createStore();
    let checkpoints = 0;
    const store = open(path, { afterCheckpoint: async () => void checkpoints++ });
    while (measureLog(path) < 1 << 20) await addMany(store, 5);
    const [length, size] = [measureLog(path), statSync(path).size];
    const before = await listIds(store);
    expect(checkpoints).toBe(0);
    const added = await addTask(store);
    expect([checkpoints, measureLog(path), statSync(path).size > size]).toEqual([1, length, true]);
    // The rest of the log is old and is not copied again.
    for (let i = 0; i < 5; i++) await addTask(store);
    expect([checkpoints, measureLog(path)]).toEqual([1, length]);
    const after = await listIds(open(path, { mode: 'read' }));
    expect(after.slice(0, before.length + 1)).toEqual([...before, added]);
    expect(after).toHaveLength(before.length + 6);
    expect(inspectSqlite(path)).toMatchObject({ problems: [] });
  });

  test('that is long is not copied into a database with a newer schema', async () => {
    const path = await createStore();
    const store = open(path);
    while (measureLog(path) < 1 << 20) await addMany(store, 5);
    execute(path, "insert into schema_migrations select max(version) + 1, 'x', 'x' from schema_migrations");
    const bytes = readFileSync(path);
    await expect(addTask(open(path))).rejects.toThrow(matchError('E_STORE_NEWER', 8));
    expect(readFileSync(path).equals(bytes)).toBe(true);
  });

  test('is emptied when a store is closed that was opened to write', async () => {
    const path = await createStore();
    const store = open(path);
    await addTask(store);
    await store.close();
    expect(existsSync(`${path}-wal`) ? statSync(`${path}-wal`).size : 0).toBe(0);
  });
});

test('opening, reading and closing do not change any byte', async () => {
  const path = await createStore();
  await addTask(open(path));
  const bytes = () => [readFileSync(path, 'latin1'), readFileSync(`${path}-wal`, 'latin1')];
  const before = bytes();
  const reader = open(path, { mode: 'read' });
  expect(await listIds(reader)).toEqual(['T001']);
  await reader.close();
  open(path);
  expect(bytes()).toEqual(before);
});

test('an older schema is migrated only after its backup succeeded', async () => {
  const path = join(createTempFolder(), 'cleo.db');
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
  expect(await addTask(store)).toBe('T001');
});

test('prepared statements survive garbage collection', async () => {
  const path = await createStore();
  const stores = Array.from({ length: 5 }, () => open(path));
  for (let round = 0; round < 10; round++) {
    for (const store of stores) await addTask(store);
    await collectGarbage();
    for (const store of stores) expect((await listIds(store)).length).toBe((round + 1) * stores.length);
    await collectGarbage();
  }
});
