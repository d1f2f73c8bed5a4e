import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import postgres from 'postgres';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { toUid, uidPattern } from '../../src/core/rules/uid.ts';
import { dispatch, type Reply } from '../../src/dispatch/dispatch.ts';
import { createApp } from '../../src/main.ts';
import { createPlatform } from '../../src/platform/platform.ts';
import { createPostgres } from '../../src/store/dialects/postgres-schema.ts';
import { migrations } from '../../src/store/migrations/all.ts';
import { computeChecksum } from '../../src/store/migrations/migration.ts';
import { schemaVersion } from '../../src/store/schema-version.ts';
import { asPerson, type Json, openApp, type TestApp } from '../app.ts';
import { createForgery, forgeLog, toOldForm } from '../forge-log.ts';
import { type PostgresServer, startPostgres } from '../postgres.ts';
import { grantToken } from '../remote-client.ts';
import {
  createEarlierPostgres,
  createEarlierSqlite,
  fillStore,
  readPostgresContent,
  readSqliteContent,
  type StoreShape,
} from './earlier-store.ts';
import { createFaultFolder, createKillTimer, type FaultProject, isFull, openFaultProject, pickSize } from './processes.ts';
import { openProxy } from './proxy.ts';

let server: PostgresServer;
let client: postgres.Sql;
beforeAll(async () => {
  server = await startPostgres();
  client = postgres(server.url, { max: 1, onnotice: () => {} });
});
afterAll(async () => {
  await client.end({ timeout: 5 });
  await server.stop();
});

const countEntries = (app: TestApp): Promise<number> => app.store.read(async ({ audit }) => (await audit.getHead())?.seq ?? 0);

test('a released migration is never edited', () => {
  expect(migrations.map(computeChecksum)[0]).toBe('a03a75cc7492ee4ea7389b253c35f164f0d9f0b19ee06927afb14883bb7f9d03');
});

/** Versions that existing stores may have. */
const versions = Array.from({ length: schemaVersion - 1 }, (_, i) => i + 1);

test.each(versions)(
  'SQLite: an upgrade from %i killed at any moment leaves the old or the new store, and completes with the same content',
  async (version) => {
    const app = await openApp({ engine: 'sqlite' });
    await fillStore(app, pickSize(40, 300), version);
    await forgeLog(app, toOldForm);
    const entries = await countEntries(app);
    const file = join(createFaultFolder(), 'earlier.db');
    createEarlierSqlite(app, file, version);
    const earlier = readSqliteContent(file, entries);
    expect(earlier.version).toBe(version);

    const fresh = (): FaultProject => {
      const folder = createFaultFolder();
      mkdirSync(join(folder, '.cleo'));
      writeFileSync(join(folder, '.cleo', 'config.json'), JSON.stringify({ project: { key: 'earlier' } }));
      copyFileSync(file, join(folder, '.cleo', 'cleo.db'));
      return openFaultProject(folder);
    };
    const undisturbed = fresh();
    const refused = await undisturbed.run(['show', 'T003']);
    expect([refused.exitCode, refused.answer.error]).toMatchObject([8, { code: 'E_STORE_OLDER', fix: 'cleo upgrade' }]);
    expect(readSqliteContent(undisturbed.database, entries)).toEqual(earlier);
    const began = performance.now();
    expect((await undisturbed.runOk(['upgrade'])).upgrade).toMatchObject({ from: version, to: schemaVersion, backup: expect.any(String) });
    const lifeMs = performance.now() - began;
    const aim = createKillTimer(lifeMs);
    const upgraded = readSqliteContent(undisturbed.database, entries);
    expect(upgraded.version).toBe(schemaVersion);
    expect(readSqliteContent(undisturbed.database, entries, earlier.shape).digest).toBe(earlier.digest);
    const { task } = await undisturbed.runOk(['show', 'T003']);
    expect(task).toMatchObject({ uid: expect.stringMatching(uidPattern) });
    expect(task.uid.slice(0, 10)).toBe(toUid(task.createdAt, '0').slice(0, 10));
    if (version >= 6) {
      const again = fresh();
      await again.runOk(['upgrade']);
      expect((await again.runOk(['show', 'T003'])).task.uid).toBe(task.uid);
    }

    const kills = pickSize(2, 50);
    const seen = { old: 0, new: 0 };
    // An upgrade that ends before it is killed is repeated, and the next kill comes earlier.
    for (let i = 0; i < kills || (aim.countKills() <= kills / 4 && i < 4 * kills); i++) {
      const project = fresh();
      const backups = join(project.root, '.cleo', 'backups');
      const moment = async (): Promise<unknown> => {
        // The runtime starts first; the migration begins when the backup exists.
        if (i % 2 === 0) return sleep(aim.pickMoment(0.3, 1.2));
        const until = performance.now() + 3 * lifeMs;
        while (performance.now() < until && !(existsSync(backups) && readdirSync(backups).some((name) => name.endsWith('.db'))))
          await nextTurn();
        const delayed = performance.now() + aim.pickMoment(0, 0.05);
        while (performance.now() < delayed) await nextTurn();
        return undefined;
      };
      const killed = await project.run(['upgrade'], { onStart: (child) => void moment().then(() => child.kill('SIGKILL')) });
      aim.recordEnd(killed);
      const left = readSqliteContent(project.database, entries);
      expect([earlier, upgraded]).toContainEqual(left);
      seen[left.version === version ? 'old' : 'new']++;
      if (killed.answer.success) expect(left.version).toBe(schemaVersion);
      const next = await project.run(['show', 'T003']);
      expect([next.exitCode, next.answer.error?.fix]).toEqual(left.version === version ? [8, 'cleo upgrade'] : [0, undefined]);
      expect([0, 102]).toContain((await project.run(['upgrade'])).exitCode);
      expect(readSqliteContent(project.database, entries)).toEqual(upgraded);
      expect((await project.run(['audit', 'verify'])).exitCode).toBe(0);
      expect((await project.run(['doctor'])).exitCode).toBe(0);
      expect((await project.run(['update', 'T003', '--notes', 'Gone on'])).exitCode).toBe(0);
    }
    expect(aim.countKills()).toBeGreaterThan(kills / 4);
    if (isFull) expect(Math.min(seen.old, seen.new)).toBeGreaterThan(0);
  },
);

// The oldest and the newest version cover the others.
test.each(isFull ? versions : [versions[0]!, versions.at(-1)!])(
  'PostgreSQL: an upgrade from %i that loses its connection or backend leaves the old or the new store',
  async (version) => {
    const key = `m${Math.random().toString(36).slice(2, 10)}`;
    const app = await openAppOn(server.url, key);
    await createPostgres({ url: server.url, schema: `cleo_${key}`, busyTimeoutMs: 15_000 }, '2026-01-01T00:00:00.000Z');
    const reply: TestApp['reply'] = (operation, params = {}, more = {}) => dispatch(app, { operation, params, gateway: 'cli', ...more });
    const call: TestApp['call'] = async (...args) => (await reply(...args)).envelope;
    await fillStore({ call, as: (agent) => ({ call: (operation, params) => call(operation, params, { agent }), reply }) }, 40, version);
    const forgery = await createForgery(await app.openStore('read'), toOldForm);
    await client.unsafe(`set search_path to "cleo_${key}"; set session_replication_role = replica; ${forgery}`).simple();
    await client.unsafe('reset session_replication_role; reset search_path').simple();
    const [head] = await client.unsafe(`select seq from "cleo_${key}".audit_head`);
    const entries = Number(head?.seq);

    let made = 0;
    const fresh = async (): Promise<string> => {
      const own = `${key}_${++made}`;
      await createEarlierPostgres(client, `cleo_${key}`, `cleo_${own}`, version);
      return own;
    };
    const content = (own: string, shape?: StoreShape) => readPostgresContent(client, `cleo_${own}`, entries, shape);
    const ask = async (url: string, own: string, operation: string, params = {}): Promise<Reply> => {
      const asking = await openAppOn(url, own);
      const person = operation === 'admin.upgrade' ? asPerson : {};
      return dispatch(asking, { operation, params, gateway: 'cli', ...person }).finally(() => asking.closeStores().catch(() => {}));
    };

    const undisturbed = await fresh();
    const earlier = await content(undisturbed);
    expect(earlier.version).toBe(version);
    expect((await ask(server.url, undisturbed, 'tasks.show', { taskId: 'T003' })).envelope).toMatchObject({
      error: { code: 'E_STORE_OLDER', exitCode: 8, fix: 'cleo upgrade' },
    });
    expect(await content(undisturbed)).toEqual(earlier);
    const upgrade = await openAppOn(server.url, undisturbed);
    const { envelope } = await dispatch(upgrade, { operation: 'admin.upgrade', params: {}, gateway: 'cli', ...asPerson });
    expect(envelope).toMatchObject({ upgrade: { from: version, to: schemaVersion, backup: expect.any(String) } });
    await upgrade.closeStores();
    await checkBackup(upgrade.platform.getProject()!.root, String((envelope.upgrade as Json).backup), entries);
    const upgraded = await content(undisturbed);
    expect(upgraded.version).toBe(schemaVersion);
    expect((await content(undisturbed, earlier.shape)).digest).toBe(earlier.digest);
    const task = (await ask(server.url, undisturbed, 'tasks.show', { taskId: 'T003' })).envelope.task as { uid: string; createdAt: string };
    expect(task.uid).toMatch(uidPattern);
    expect(task.uid.slice(0, 10)).toBe(toUid(task.createdAt, '0').slice(0, 10));

    const seen = { old: 0, new: 0 };
    const judge = async (own: string, reply: Reply): Promise<void> => {
      const left = await content(own);
      expect([earlier, upgraded]).toContainEqual(left);
      seen[left.version === version ? 'old' : 'new']++;
      if (reply.exitCode === 0) expect(left.version).toBe(schemaVersion);
      expect([0, 102]).toContain((await ask(server.url, own, 'admin.upgrade')).exitCode);
      expect(await content(own)).toEqual(upgraded);
      expect((await ask(server.url, own, 'tasks.show', { taskId: 'T003' })).exitCode).toBe(0);
      expect((await ask(server.url, own, 'admin.audit.verify')).exitCode).toBe(0);
    };
    for (const when of ['before', 'after'] as const)
      for (let message = 2; ; message += isFull ? 7 : 97) {
        const own = await fresh();
        const wire = await openProxy(server.url, when);
        wire.cutAt(message);
        const reply = await ask(wire.url, own, 'admin.upgrade');
        const wasCut = wire.wasCut();
        if (wasCut) await waitForRollback(own);
        await judge(own, reply);
        if (!wasCut) break;
      }
    for (let i = 0; i < pickSize(2, 25); i++) {
      const own = await fresh();
      let isOver = false;
      const killer = (async () => {
        await sleep(Math.random() * 40);
        while (!isOver) {
          await client`select pg_terminate_backend(pid) from pg_stat_activity
          where backend_type = 'client backend' and pid <> pg_backend_pid() and xact_start is not null`;
          await sleep(Math.random() * 5);
        }
      })();
      const reply = await ask(server.url, own, 'admin.upgrade');
      isOver = true;
      await killer;
      await judge(own, reply);
    }
    expect(Math.min(seen.old, seen.new)).toBeGreaterThan(0);
  },
);

test('PostgreSQL: a token of scope admin upgrades the store of the version before, one below it does not', async () => {
  const key = `m${Math.random().toString(36).slice(2, 10)}`;
  const app = await openAppOn(server.url, key);
  await createPostgres({ url: server.url, schema: `cleo_${key}`, busyTimeoutMs: 15_000 }, '2026-01-01T00:00:00.000Z');
  const store = await app.openStore('write');
  const tokens = { admin: await grantToken({ store }, 'admin', 'boss'), decide: await grantToken({ store }, 'decide', 'ada') };
  const own = `${key}_1`;
  await createEarlierPostgres(client, `cleo_${key}`, `cleo_${own}`, schemaVersion - 1);
  const upgrade = async (scope: keyof typeof tokens): Promise<Json> => {
    const asking = await openAppOn(server.url, own, { CLEO_TOKEN: tokens[scope], LOGNAME: 'ada' });
    return (await dispatch(asking, { operation: 'admin.upgrade', params: {}, gateway: 'cli' })).envelope;
  };
  expect(await upgrade('decide')).toMatchObject({ error: { code: 'E_FORBIDDEN' } });
  expect(await upgrade('admin')).toMatchObject({ upgrade: { from: schemaVersion - 1, to: schemaVersion } });
});

/** Restores the backup of an upgrade on PostgreSQL in a project on SQLite. */
async function checkBackup(root: string, id: string, entries: number): Promise<void> {
  const folder = createFaultFolder();
  mkdirSync(join(folder, '.cleo'));
  writeFileSync(join(folder, '.cleo', 'config.json'), readFileSync(join(root, '.cleo', 'config.json')));
  copyFileSync(join(root, '.cleo', 'backups', `${id}.db`), join(folder, '.cleo', 'cleo.db'));
  const project = openFaultProject(folder);
  await project.runOk(['upgrade']);
  expect((await project.runOk(['show', 'T003'])).task.title).toBe('Part 1 of the "work"');
  expect((await project.runOk(['find', 'Überprüfen'])).tasks).toMatchObject([{ id: 'T001' }]);
  expect((await project.runOk(['audit', 'verify'])).chain.entries).toBeGreaterThanOrEqual(entries);
}

/** Waits until the server has rolled back the transactions of lost clients. */
async function waitForRollback(own: string): Promise<void> {
  for (let i = 0; i < 200; i++) {
    const [busy] = await client`select count(*)::int as n from pg_stat_activity
      where backend_type = 'client backend' and pid <> pg_backend_pid() and xact_start is not null`;
    if (busy?.n === 0) return;
    await sleep(10);
  }
  throw new Error(`the server still works on ${own}`);
}

async function openAppOn(url: string, key: string, env: Record<string, string> = { CLEO_AGENT_ID: 'tester' }) {
  const folder = createFaultFolder();
  mkdirSync(join(folder, '.cleo'));
  writeFileSync(join(folder, '.cleo', 'config.json'), JSON.stringify({ project: { key } }));
  const app = createApp(
    createPlatform({ CLEO_ROOT: folder, CLEO_HOME: join(folder, 'home'), CLEO_DATABASE_URL: url, ...env }, folder, '0.0.0-test'),
  );
  onTestFinished(() => app.closeStores().catch(() => {}));
  return app;
}
