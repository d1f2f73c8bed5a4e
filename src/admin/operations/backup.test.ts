import { closeSync, existsSync, openSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { loadSqliteDriver } from '#store/dialects/sqlite-driver.ts';
import { asPerson, openApp } from '../../../test/app.ts';
import { createEmptyFolder, type TestFolder } from '../../../test/folder.ts';

const isPostgres = process.env.CLEO_TEST_ENGINE === 'postgres';

if (isPostgres)
  test('rejects backups of a PostgreSQL store and suggests an export', async () => {
    const app = await openApp({ tasks: ['T001'] });
    for (const [operation, params] of [
      ['admin.backup.create', {}],
      ['admin.upgrade', {}],
    ] as const) {
      const answer = await app.call(operation, params, operation === 'admin.upgrade' ? asPerson : {});
      if (operation === 'admin.upgrade') expect(answer).toMatchObject({ success: true, _meta: { exitCode: 102 } });
      else {
        expect(answer).toMatchObject({ error: { code: 'E_DEPENDENCY_ERROR', exitCode: 5 } });
        expect((await app.cli(answer.error.fix)).exitCode).toBe(0);
      }
    }
    expect(await app.call('admin.backup.restore', { id: 'x' }, asPerson)).toMatchObject({ error: { exitCode: 4 } });
    expect(await app.call('admin.backup.list')).toMatchObject({ _meta: { exitCode: 100 }, backups: [] });
  });

if (!isPostgres) {
  const database = ({ root }: { root: string }, end = ''): string => join(root, '.cleo', `cleo.db${end}`);
  const backupFile = ({ root }: { root: string }, id: string): string => join(root, '.cleo', 'backups', `${id}.db`);
  const createWithTask = async (): Promise<TestFolder> => {
    const folder = createEmptyFolder();
    await folder.call('admin.init');
    await folder.call('tasks.add', { title: 'Before' });
    return folder;
  };
  const listTitles = async (folder: Pick<TestFolder, 'call'>): Promise<string[]> =>
    (await folder.call('tasks.list')).tasks.map((task: { title: string }) => task.title);

  test('lists a backup with kind and size, and writes a checksum file', async () => {
    const folder = await createWithTask();
    const { backup } = await folder.call('admin.backup.create');
    expect(backup).toMatchObject({ id: expect.stringMatching(/^\d{8}T\d{9}Z-manual$/), kind: 'manual', size: expect.any(Number) });
    expect(await folder.call('admin.backup.list')).toMatchObject({ backups: [backup] });
    expect(readFileSync(`${backupFile(folder, backup.id)}.sha256`, 'utf8')).toMatch(new RegExp(`^[0-9a-f]{64}  ${backup.id}\\.db\n$`));
    expect(readdirSync(join(folder.root, '.cleo', 'backups'))).toHaveLength(2);
  });

  test('keeps as many backups as configured', async () => {
    const clock = { now: '2026-03-01T00:00:00.000Z' };
    const app = await openApp({ clock, config: { backup: { keep: 2 } } });
    const ids: string[] = [];
    for (const day of [1, 2, 3]) {
      clock.now = `2026-03-0${day}T00:00:00.000Z`;
      ids.push((await app.call('admin.backup.create')).backup.id);
    }
    expect((await app.call('admin.backup.list')).backups.map(({ id }: { id: string }) => id)).toEqual(ids.slice(1).reverse());
    expect(readdirSync(join(app.root, '.cleo', 'backups'))).toHaveLength(4);
  });

  test('gives two backups of the same moment different ids', async () => {
    const app = await openApp({ clock: { now: '2026-03-01T00:00:00.000Z' } });
    const [a, b] = [await app.call('admin.backup.create'), await app.call('admin.backup.create')];
    expect([a.backup.id, b.backup.id]).toEqual(['20260301T000000000Z-manual', '20260301T000000001Z-manual']);
  });

  describe('restore', () => {
    test('restores a backup, backs up the current store and returns an undo command', async () => {
      const folder = await createWithTask();
      const { backup } = await folder.call('admin.backup.create');
      await folder.call('tasks.add', { title: 'After' });
      const restored = await folder.call('admin.backup.restore', { id: backup.id }, asPerson);
      expect(restored).toMatchObject({ success: true, restored: { id: backup.id }, undo: `cleo backup restore ${restored.replaced}` });
      expect(await listTitles(folder)).toEqual(['Before']);
      expect((await folder.cli(restored.undo, asPerson)).exitCode).toBe(0);
      expect(await listTitles(folder)).toEqual(['Before', 'After']);
    });

    test('accepts the id with and without extension, and exits with 4 for others', async () => {
      const folder = await createWithTask();
      const { backup } = await folder.call('admin.backup.create');
      expect(await folder.call('admin.backup.restore', { id: `${backup.id}.db` }, asPerson)).toMatchObject({ success: true });
      for (const id of ['20200101T000000000Z-manual', '../cleo', '', 'x'.repeat(5000)])
        expect(await folder.call('admin.backup.restore', { id }, asPerson)).toMatchObject({
          error: { code: 'E_BACKUP_NOT_FOUND', exitCode: 4, fix: 'cleo backup list' },
        });
    });

    test('does not reuse task ids that were assigned after the backup', async () => {
      const folder = await createWithTask();
      const { backup } = await folder.call('admin.backup.create');
      for (const title of ['Two', 'Three']) await folder.call('tasks.add', { title });
      await folder.call('admin.backup.restore', { id: backup.id }, asPerson);
      expect(await folder.call('tasks.add', { title: 'Next' })).toMatchObject({ task: { id: 'T004' } });
    });

    test('logs the restore with an intact chain and leaves no unfinished job', async () => {
      const folder = await createWithTask();
      const { backup } = await folder.call('admin.backup.create');
      await folder.call('admin.backup.restore', { id: backup.id }, asPerson);
      expect((await folder.call('admin.log', { limit: 1 })).entries[0]).toMatchObject({ operation: 'admin.backup.restore' });
      expect(await folder.call('admin.audit.verify')).toMatchObject({ chain: { ok: true } });
      expect((await folder.call('admin.doctor')).findings).toEqual([]);
    });

    test('other connections continue with the restored store', async () => {
      const app = await openApp({ tasks: ['T001: Before'] });
      const other = await app.openSecondStore();
      const { backup } = await app.call('admin.backup.create');
      await other.write({ at: '2026-01-02T00:00:00.000Z', by: 'other' }, async (writer) => {
        const task = (await writer.tasks.get('T001'))!;
        await writer.tasks.save(task, { ...task, title: 'After' });
      });
      expect(await app.call('admin.backup.restore', { id: backup.id }, asPerson)).toMatchObject({ success: true });
      expect(await other.read((reader) => reader.tasks.get('T001'))).toMatchObject({ title: 'Before' });
      await other.write({ at: '2026-01-02T00:00:00.000Z', by: 'other' }, async (writer) => {
        const task = (await writer.tasks.get('T001'))!;
        await writer.tasks.save(task, { ...task, title: 'And on' });
      });
      expect(await app.call('tasks.show', { taskId: 'T001' })).toMatchObject({ task: { title: 'And on' } });
    });

    test('times out if the write lock is held', async () => {
      const app = await openApp({ tasks: ['T001'], config: { store: { busyTimeoutMs: 50 } } });
      const { backup } = await app.call('admin.backup.create');
      const other = await app.openSecondStore();
      await other.write({ at: 'x', by: 'other' }, async () => {
        expect(await app.call('admin.backup.restore', { id: backup.id }, asPerson)).toMatchObject({
          error: { code: 'E_LOCK_TIMEOUT', exitCode: 7 },
        });
      });
      expect(readdirSync(join(app.root, '.cleo')).filter((name) => name.includes('restore'))).toEqual([]);
    });

    test.each<[string, (folder: TestFolder) => void]>([
      ['missing', (folder) => ['', '-wal', '-shm'].forEach((end) => void rmSync(database(folder, end), { force: true }))],
      ['empty', (folder) => truncateSync(database(folder), 0)],
      ['garbage', (folder) => writeFileSync(database(folder), 'garbage'.repeat(1000))],
      ['damaged in the middle', (folder) => overwrite(database(folder), 4096, 40_000)],
    ])('works with a database that is %s, and moves it instead of overwriting it', async (kind, damage) => {
      const folder = await createWithTask();
      const { backup } = await folder.call('admin.backup.create');
      damage(folder);
      const left = existsSync(database(folder)) ? readFileSync(database(folder)) : undefined;
      const { error } = await folder.call('tasks.list');
      expect(error).toMatchObject({ code: 'E_STORE_DAMAGED', exitCode: 3, fix: `Ask a person to run: cleo backup restore ${backup.id}` });
      const restored = (await folder.cli(error.fix, asPerson)).envelope;
      expect(restored).toMatchObject({ success: true, restored: { id: backup.id } });
      expect(await listTitles(folder)).toEqual(['Before']);
      if (kind === 'missing') expect(restored.movedTo).toBeUndefined();
      else {
        expect(readFileSync(join(folder.root, restored.movedTo)).equals(left!)).toBe(true);
        expect(restored.undo).toBe(`mv ${join(folder.root, restored.movedTo)} ${database(folder)}`);
      }
    });

    test('rejects a changed backup with 20 and changes nothing', async () => {
      const folder = await createWithTask();
      const { backup } = await folder.call('admin.backup.create');
      overwrite(backupFile(folder, backup.id), 5000, 1);
      const refused = await folder.call('admin.backup.restore', { id: backup.id }, asPerson);
      expect(refused).toMatchObject({ error: { code: 'E_CHECKSUM_MISMATCH', exitCode: 20, fix: 'cleo backup list' } });
      expect((await folder.cli(refused.error.fix)).exitCode).toBe(0);
      expect((await folder.call('admin.backup.list')).backups).toHaveLength(1);
      expect(await listTitles(folder)).toEqual(['Before']);
    });

    test('checks a backup without a checksum: intact with a warning, damaged with 20', async () => {
      const folder = await createWithTask();
      const { backup } = await folder.call('admin.backup.create');
      rmSync(`${backupFile(folder, backup.id)}.sha256`);
      expect(await folder.call('admin.backup.restore', { id: backup.id }, asPerson)).toMatchObject({
        success: true,
        _meta: { warnings: [expect.stringContaining('no checksum')] },
      });
      overwrite(backupFile(folder, backup.id), 4096, 40_000);
      expect(await folder.call('admin.backup.restore', { id: backup.id }, asPerson)).toMatchObject({ error: { exitCode: 20 } });
      writeFileSync(backupFile(folder, backup.id), 'not a database');
      expect(await folder.call('admin.backup.restore', { id: backup.id }, asPerson)).toMatchObject({ error: { exitCode: 20 } });
    });

    test('rejects a backup of a newer store with 8', async () => {
      const folder = await createWithTask();
      const { backup } = await folder.call('admin.backup.create');
      execute(backupFile(folder, backup.id), "insert into schema_migrations values (999, 'x', 'x')");
      rmSync(`${backupFile(folder, backup.id)}.sha256`);
      expect(await folder.call('admin.backup.restore', { id: backup.id }, asPerson)).toMatchObject({
        error: { code: 'E_STORE_NEWER', exitCode: 8 },
      });
    });
  });

  test('creates one automatic backup per day once the log has grown', async () => {
    const folder = await createWithTask();
    const kinds = async () => (await folder.call('admin.backup.list')).backups.map(({ kind }: { kind: string }) => kind);
    expect(await kinds()).toEqual([]);
    const long = Array.from({ length: 200 }, (_, i) => ({ title: `Task ${i}`, description: 'x'.repeat(8000) }));
    for (let i = 0; i < 2; i++) expect(await folder.call('tasks.add-batch', { tasks: long })).toMatchObject({ success: true });
    expect(await kinds()).toEqual(['automatic']);
  });

  describe('upgrade', () => {
    /** Creates a store without any migration. */
    const createOlder = async (): Promise<TestFolder> => {
      const folder = await createWithTask();
      rmSync(database(folder));
      for (const end of ['-wal', '-shm']) rmSync(database(folder, end), { force: true });
      execute(
        database(folder),
        "create table schema_migrations (version integer primary key, checksum text not null, applied_at text not null); insert into schema_migrations values (0, 'x', 'x')",
      );
      return folder;
    };

    test('rejects an older store and suggests an upgrade, which creates a backup', async () => {
      const folder = await createOlder();
      for (const call of [folder.call('tasks.list'), folder.call('tasks.add', { title: 'x' })])
        expect(await call).toMatchObject({ error: { code: 'E_STORE_OLDER', exitCode: 8, fix: 'cleo upgrade' } });
      const { envelope } = await folder.cli('cleo upgrade');
      expect(envelope).toMatchObject({ success: true, upgrade: { from: 0, backup: expect.stringMatching(/-automatic$/) } });
      expect(await folder.call('tasks.add', { title: 'First' })).toMatchObject({ task: { id: 'T001' } });
      expect(await folder.call('admin.upgrade')).toMatchObject({ success: true, _meta: { exitCode: 102 } });
    });

    test('upgrades a backup of an older store when it is restored', async () => {
      const folder = await createOlder();
      const { envelope } = await folder.cli('cleo upgrade');
      await folder.call('tasks.add', { title: 'New' });
      expect(await folder.call('admin.backup.restore', { id: envelope.upgrade.backup }, asPerson)).toMatchObject({ success: true });
      expect(await folder.call('tasks.list')).toMatchObject({ success: true, tasks: [] });
    });

    test('rejects a newer store and leaves it unchanged', async () => {
      const folder = await createWithTask();
      execute(database(folder), "insert into schema_migrations values (999, 'x', 'x')");
      const before = readFileSync(database(folder));
      expect((await folder.cli('cleo upgrade')).envelope).toMatchObject({
        error: { code: 'E_STORE_NEWER', exitCode: 8, fix: 'cleo version' },
      });
      expect(readFileSync(database(folder)).equals(before)).toBe(true);
    });

    test('updates the JSON Schema of the configuration', async () => {
      const folder = await createWithTask();
      const path = join(folder.root, '.cleo', 'config.schema.json');
      const known = readFileSync(path, 'utf8');
      writeFileSync(path, '{}');
      expect(await folder.call('admin.upgrade')).toMatchObject({ success: true, _meta: expect.not.objectContaining({ exitCode: 102 }) });
      expect(readFileSync(path, 'utf8')).toBe(known);
    });
  });
}

function overwrite(path: string, at: number, length: number): void {
  const file = openSync(path, 'r+');
  writeSync(file, Buffer.alloc(length, 0xa7), 0, length, at);
  closeSync(file);
}

function execute(path: string, statements: string): void {
  const db = new (loadSqliteDriver().DatabaseSync)(path, {});
  db.exec(statements);
  db.close();
}
