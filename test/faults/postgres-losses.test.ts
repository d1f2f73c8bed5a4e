import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import postgres from 'postgres';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { type PostgresServer, startPostgres, startSynchronousReplica } from '../postgres.ts';
import { canMountDisks, mountDisk } from './disks.ts';
import { openTeam, type Team } from './postgres-apps.ts';
import { createIds, isFull, pickSize } from './processes.ts';
import { openProxy } from './proxy.ts';

let server: PostgresServer;
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server?.stop());

async function startServer(...args: Parameters<typeof startPostgres>): Promise<PostgresServer> {
  const server = await startPostgres(...args);
  onTestFinished(() => server.stop());
  return server;
}

/** Opens a connection of an administrator, which is not that of a test. */
function openAdmin(server: PostgresServer): postgres.Sql {
  const admin = postgres(server.url, { max: 4, onnotice: () => {} });
  onTestFinished(() => admin.end({ timeout: 5 }));
  return admin;
}

/** The exit code of each add, by title, which is also the idempotency key. */
type Outcomes = Map<string, number>;

const addOnce = async ({ call }: Team, member: number, title: string, description?: string): Promise<number> =>
  (await call(member, 'tasks.add', { title, ...(description ? { description } : {}) }, { idempotencyKey: title.replaceAll(' ', '-') }))
    .exitCode;

/** Adds tasks with every app at once. `isWanted` gets the number that an app has added. */
async function addTasks(team: Team, isWanted: (count: number) => boolean): Promise<Outcomes> {
  const outcomes: Outcomes = new Map();
  await Promise.all(
    team.apps.map(async (_, member) => {
      for (let i = 0; isWanted(i); i++) {
        const title = `Task ${outcomes.size} of ${member}`;
        outcomes.set(title, -1);
        outcomes.set(title, await addOnce(team, member, title));
      }
    }),
  );
  return outcomes;
}

/** Checks that what was acknowledged is stored once, and that what failed is not; then that a repeated call stores it once. */
async function checkOutcomes(
  team: Team,
  outcomes: Outcomes,
  { failures = [7, 21], add = (title: string) => addOnce(team, 0, title) } = {},
): Promise<void> {
  const readTitles = async (): Promise<string[]> =>
    (await team.rows('select title from $tasks order by seq')).map(({ title }) => `${title}`);
  expect([...new Set(outcomes.values())].filter((code) => ![0, ...failures].includes(code))).toEqual([]);
  const titles = await readTitles();
  expect(new Set(titles).size, 'stored twice').toBe(titles.length);
  const stored = new Set(titles);
  const listTitles = (...codes: number[]): string[] => [...outcomes].filter(([, code]) => codes.includes(code)).map(([title]) => title);
  expect(
    listTitles(0).filter((title) => !stored.has(title)),
    'lost',
  ).toEqual([]);
  expect(
    listTitles(3, 7).filter((title) => stored.has(title)),
    'stored although the call failed',
  ).toEqual([]);
  for (const title of outcomes.keys()) expect(await add(title)).toBe(0);
  expect((await readTitles()).sort()).toEqual([...outcomes.keys()].sort());
  expect((await team.rows('select id from $tasks order by seq')).map(({ id }) => id)).toEqual(createIds(outcomes.size));
  for (const query of [
    `select count(*)::int as n from $task_history where field = 'created'`,
    'select count(*)::int as n from $task_search',
    `select count(*)::int as n from $audit_log where success = 1 and operation = 'add'`,
  ])
    expect(await team.rows(query), query).toEqual([{ n: outcomes.size }]);
  expect(await team.call(0, 'admin.audit.verify', {})).toMatchObject({ exitCode: 0 });
}

const countCodes = (outcomes: Outcomes): string =>
  JSON.stringify(
    Object.fromEntries(
      [...new Set(outcomes.values())].sort().map((code) => [code, [...outcomes.values()].filter((one) => one === code).length]),
    ),
  );

test('backends that are killed at the commit lose no answered write and double none', async () => {
  const admin = openAdmin(server);
  const proxy = await openProxy(server.url, 'before');
  const team = await openTeam(server, 3, { url: proxy.url });
  const maxKills = pickSize(8, 150);
  let [kills, commits] = [0, 0];
  const terminate = async (port: number): Promise<void> => {
    kills += (await admin`select pg_terminate_backend(pid) from pg_stat_activity where client_port = ${port}`).length;
  };
  // The commit arrives after the kill, at the same time, or a moment before it.
  proxy.intercept(/\bcommit\b/, (port, forward) => {
    if (kills >= maxKills || ++commits % 2 === 0) return forward();
    const moment = commits % 3;
    if (moment === 0) void terminate(port).then(forward);
    else {
      forward();
      if (moment === 1) void terminate(port);
      else setTimeout(() => void terminate(port), Math.random() * 3);
    }
  });
  const outcomes = await addTasks(team, () => kills < maxKills);
  console.log(`${kills} backends killed at a commit; adds by exit code: ${countCodes(outcomes)}`);
  expect([...outcomes.values()]).toContain(21);
  await checkOutcomes(team, outcomes);
});

test('serialization failures and deadlocks are repeated, and end with 7 if they do not stop', async () => {
  const admin = openAdmin(server);
  const team = await openTeam(server, 4);
  const { schema } = team;
  const setShare = (share: number) => admin.unsafe(`update "${schema}_storm".storm set share = ${share}`);
  // In the middle of the transaction and at its commit, as the server does it under `serializable`.
  await admin
    .unsafe(`
    create schema "${schema}_storm";
    create table "${schema}_storm".storm as select 0.0 as share;
    create function "${schema}_storm".fail() returns trigger language plpgsql as '
      begin
        if random() < (select share from "${schema}_storm".storm) then
          if random() < 0.5 then raise exception ''deadlock detected'' using errcode = ''40P01''; end if;
          raise exception ''could not serialize access'' using errcode = ''40001'';
        end if;
        return null;
      end';
    create trigger fails after insert on "${schema}".tasks for each row execute function "${schema}_storm".fail();
    create constraint trigger fails_later after insert on "${schema}".audit_log deferrable initially deferred
      for each row execute function "${schema}_storm".fail();`)
    .simple();
  await setShare(0.3);
  const outcomes = await addTasks(team, (count) => count < pickSize(6, 150));
  await setShare(1);
  const { exitCode, envelope } = await team.add(0, 'Never');
  expect([exitCode, envelope.error]).toMatchObject([
    7,
    { code: 'E_LOCK_TIMEOUT', message: expect.stringContaining('nothing was changed') },
  ]);
  await setShare(0);
  console.log(`storm; adds by exit code: ${countCodes(outcomes)}`);
  await checkOutcomes(team, outcomes, { failures: [7] });
});

test('a failover to a synchronous replica loses no answered write and doubles none', async () => {
  const primary = await startServer();
  const { schema } = await openTeam(primary, 0);
  const replica = await startSynchronousReplica(primary);
  onTestFinished(() => replica.stop());
  const hosts = [primary, replica].map(({ url }) => new URL(url).host).join(',');
  const apps = await openTeam(replica, 4, {
    url: `postgres://cleo@${hosts}/postgres?target_session_attrs=read-write`,
    schema,
  });
  let isOver = false;
  const failOver = (async () => {
    await sleep(pickSize(800, 5000));
    await primary.kill();
    await sleep(pickSize(1500, 6000));
    const admin = openAdmin(replica);
    await admin`select pg_promote()`;
    await sleep(pickSize(1500, 5000));
  })().finally(() => {
    isOver = true;
  });
  const outcomes = await addTasks(apps, () => !isOver);
  await failOver;
  console.log(`failover; adds by exit code: ${countCodes(outcomes)}`);
  // A call waits for the failover.
  await checkOutcomes(apps, outcomes, { failures: [21] });
});

test('a full disk of the server loses no answered write and doubles none', async () => {
  const disk = canMountDisks ? mountDisk(96) : undefined;
  const dataFolder = disk && join(disk.folder, 'data');
  if (dataFolder) mkdirSync(dataFolder);
  const small = await startServer(['-c', 'max_wal_size=8MB', '-c', 'min_wal_size=2MB'], dataFolder ? { dataFolder } : {});
  const admin = openAdmin(small);
  const team = await openTeam(small, 2, { busyTimeoutMs: 2000 });
  const { schema } = team;
  // Without a disk of its own the server is told to answer as with a full one.
  const fill = async (kilobytes: number): Promise<void> => {
    if (disk) return disk.leave(kilobytes);
    await admin
      .unsafe(`create or replace function "${schema}".fail() returns trigger language plpgsql as '
          begin raise exception ''disk full'' using errcode = ''53100''; end';
        create trigger fails after insert on "${schema}".audit_log execute function "${schema}".fail();`)
      .simple();
  };
  const free = async (): Promise<void> => {
    if (!disk) return void (await admin.unsafe(`drop trigger fails on "${schema}".audit_log`));
    disk.free();
    // A server that cannot write its log ends.
    if (small.process.exitCode !== null) await small.restart(0);
  };
  const outcomes: Outcomes = new Map();
  const text = 'What the parser accepts, and what it rejects. '.repeat(100);
  const add = (title: string, member = 0) => addOnce(team, member, title, text);
  const failed: string[] = [];
  for (const kilobytes of isFull ? [4096, 2048, 1024, 512, 256, 128, 64, 32, 16, 8, 0] : [512, 0]) {
    await fill(kilobytes);
    for (let i = 0; i < 400; i++) {
      const title = `With ${kilobytes} KB left ${i}`;
      outcomes.set(title, await add(title, i % 2));
      if (outcomes.get(title) !== 0) {
        failed.push(title);
        break;
      }
    }
    await free();
    const title = `After ${kilobytes} KB`;
    // The server may be starting up.
    for (let i = 0; i < 20 && outcomes.get(title) !== 0; i++) outcomes.set(title, await add(title));
    expect(outcomes.get(title)).toBe(0);
  }
  console.log(`full disk; adds by exit code: ${countCodes(outcomes)}; ${failed.join(', ')}`);
  expect(failed.length).toBeGreaterThan(0);
  await checkOutcomes(team, outcomes, { failures: [3, 7, 21], add: (title) => add(title) });
});
