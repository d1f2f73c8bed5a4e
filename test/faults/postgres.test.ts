import { setTimeout as sleep } from 'node:timers/promises';
import postgres from 'postgres';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { dispatch, type Reply } from '../../src/dispatch/dispatch.ts';
import { createApp } from '../../src/main.ts';
import { openPostgres } from '../../src/store/dialects/postgres.ts';
import { createPostgres } from '../../src/store/dialects/postgres-schema.ts';
import { type PostgresServer, startPostgres } from '../postgres.ts';
import { openTeam } from './postgres-apps.ts';
import { createIds, pickSize } from './processes.ts';
import { openProxy } from './proxy.ts';

let server: PostgresServer;
let admin: postgres.Sql;
beforeAll(async () => {
  server = await startPostgres();
  admin = postgres(server.url, { max: 1, onnotice: () => {} });
});
afterAll(async () => {
  await admin.end({ timeout: 5 });
  await server.stop();
});

/** Terminates a connection that is in a transaction; returns the number of terminated ones. */
const terminate = async (): Promise<number> =>
  (
    await admin`
      select pg_terminate_backend(pid) from pg_stat_activity
      where backend_type = 'client backend' and pid <> pg_backend_pid() and xact_start is not null order by random() limit 1`
  ).length;

test('concurrent adds from many machines get consecutive ids', async () => {
  const [members, each] = [8, pickSize(10, 250)];
  const { add, rows } = await openTeam(server, members);
  const replies = await Promise.all(
    Array.from({ length: members }, async (_, member) => {
      const mine: Reply[] = [];
      for (let i = 0; i < each; i++) mine.push(await add(member, `Task ${member}.${i}`));
      return mine;
    }),
  );
  expect(replies.flat().filter(({ exitCode }) => exitCode !== 0)).toEqual([]);
  expect((await rows('select id from $tasks order by seq')).map(({ id }) => id)).toEqual(createIds(members * each));
  expect(await rows('select count(*)::int as n, max(seq) as last, count(distinct prev_hash)::int as links from $audit_log')).toEqual([
    { n: members * each, last: members * each, links: members * each },
  ]);
});

test('writes of many machines are serialized: every note is stored and no limit exceeded', async () => {
  const [members, each] = [8, pickSize(5, 50)];
  const { call, rows } = await openTeam(server, members);
  await call(0, 'tasks.add', { title: 'The parent', type: 'epic' });
  const everyone = (act: (member: number) => Promise<Reply>) => Promise.all(Array.from({ length: members }, (_, member) => act(member)));
  for (let i = 0; i < each; i++) {
    const replies = await everyone((member) => call(member, 'tasks.update', { taskId: 'T001', notes: `note ${member}.${i}` }));
    expect(replies.map(({ exitCode }) => exitCode)).toEqual(Array(members).fill(0));
  }
  const added = [
    ...(await everyone((member) => call(member, 'tasks.add', { title: `One ${member}`, parent: 'T001' }))),
    ...(await everyone((member) => call(member, 'tasks.add', { title: `Two ${member}`, parent: 'T001' }))),
  ];
  expect(added.filter(({ exitCode }) => exitCode === 0)).toHaveLength(7);
  expect(added.filter(({ exitCode }) => exitCode === 12)).toHaveLength(2 * members - 7);
  expect(await rows('select count(distinct content)::int as n from $task_notes')).toEqual([{ n: members * each }]);
  expect(await rows(`select revision from $tasks where id = 'T001'`)).toEqual([{ revision: 1 + members * each }]);
});

test('killed connections under load lose no answered write, duplicate none and leave none in part', async () => {
  const [members, each] = [4, pickSize(15, 150)];
  const { add, rows } = await openTeam(server, members);
  let killed = 0;
  let isOver = false;
  const killer = (async () => {
    while (!isOver) {
      await sleep(Math.random() * 60);
      killed += await terminate();
    }
  })();
  onTestFinished(() => {
    isOver = true;
  });
  const replies = await Promise.all(
    Array.from({ length: members }, async (_, member) => {
      const mine: [string, Reply][] = [];
      for (let i = 0; i < each; i++) mine.push([`Task ${member}.${i}`, await add(member, `Task ${member}.${i}`)]);
      return mine;
    }),
  );
  isOver = true;
  await killer;
  expect(killed).toBeGreaterThan(5);
  const answers = replies.flat();
  // The outcome is known, reported as unknown, or no connection lasted long enough.
  expect(answers.map(([, { exitCode }]) => exitCode).filter((code) => ![0, 21, 7].includes(code))).toEqual([]);
  const tasks = await rows('select id, title from $tasks order by seq');
  expect(tasks.map(({ id }) => id)).toEqual(createIds(tasks.length));
  const titles = tasks.map(({ title }) => title);
  expect(new Set(titles).size).toBe(titles.length);
  for (const [title, { exitCode, envelope }] of answers) {
    if (exitCode === 0) expect(tasks).toContainEqual({ id: (envelope.task as { id: string }).id, title });
    if (exitCode === 7) expect(titles).not.toContain(title);
  }
  // Each task has its history, its search index and its log entry.
  expect(await rows(`select count(*)::int as n from $task_history where field = 'created'`)).toEqual([{ n: tasks.length }]);
  expect(await rows('select count(*)::int as n from $task_search')).toEqual([{ n: tasks.length }]);
  expect(await rows(`select count(*)::int as n from $audit_log where success = 1`)).toEqual([{ n: tasks.length }]);
});

test('a transaction whose connection is lost is rolled back and retried', async () => {
  const { apps, rows } = await openTeam(server, 1);
  const store = await apps[0]!.openStore('write');
  let tries = 0;
  const id = await store.write({ at: '2026-01-01T00:00:00.000Z', by: 'tester' }, async (writes) => {
    tries++;
    const next = await writes.tasks.nextId();
    if (tries === 1) {
      expect(await terminate()).toBe(1);
      await sleep(50);
    }
    await writes.tasks.reserveIds('T050');
    await writes.tasks.exists('T050');
    return next;
  });
  expect([id, tries]).toEqual(['T001', 2]);
  expect(await rows("select value from $counters where name = 'task'")).toEqual([{ value: 50 }]);
});

test('a transaction of a client and of a server is kept while it works for longer than the database waits for a silent one', async () => {
  const stamp = { at: '2026-01-01T00:00:00.000Z', by: 'tester' };
  const writeSlowly = async (keepsPlans: boolean): Promise<[id: string, tries: number]> => {
    const { schema } = await openTeam(server, 1);
    const store = openPostgres({ url: server.url, schema, busyTimeoutMs: 15_000, keepsPlans });
    onTestFinished(() => store.close());
    // From the second transaction on, a server speaks the protocol itself.
    await store.write(stamp, ({ tasks }) => tasks.exists('T050'));
    let tries = 0;
    const id = await store.write(stamp, async ({ tasks }) => {
      tries++;
      const next = await tasks.nextId();
      if (tries === 1) await sleep(5800);
      await tasks.exists('T050');
      return next;
    });
    return [id, tries];
  };
  expect(await Promise.all([false, true].map(writeSlowly))).toEqual([
    ['T001', 1],
    ['T001', 1],
  ]);
});

test('work that ignores a lost connection cannot write outside a transaction', async () => {
  const { apps, rows } = await openTeam(server, 1);
  const store = await apps[0]!.openStore('write');
  const outcome = store.write({ at: '2026-01-01T00:00:00.000Z', by: 'tester' }, async (writes) => {
    await writes.tasks.nextId();
    await terminate();
    await sleep(50);
    await writes.tasks.nextId().catch(() => {});
    await writes.tasks.reserveIds('T099');
    throw new Error('given up');
  });
  await expect(outcome).rejects.toThrow();
  expect(await rows("select value from $counters where name = 'task'")).toEqual([{ value: 0 }]);
});

for (const [when, kept] of [
  ['before the server has it', 0],
  ['after the server has done it', 1],
] as const)
  test(`a connection lost at commit, ${when}: reports an unknown outcome and repeats nothing`, async () => {
    const { apps, rows } = await openTeam(server, 1);
    const wire = await openProxy(server.url, when === 'before the server has it' ? 'before' : 'after');
    const app = createApp({ ...apps[0]!.platform, databaseUrl: wire.url });
    onTestFinished(app.closeStores);
    const add = (title: string) => dispatch(app, { operation: 'tasks.add', gateway: 'cli', params: { title } });
    expect((await add('Before')).exitCode).toBe(0);
    wire.cutAt(/commit/);
    const { exitCode, envelope } = await add('At the moment');
    expect([exitCode, (envelope.error as { code: string }).code]).toEqual([21, 'E_OUTCOME_UNKNOWN']);
    expect(await rows(`select count(*)::int as n from $tasks where title = 'At the moment'`)).toEqual([{ n: kept }]);
    expect((await add('After')).envelope.task).toMatchObject({ id: `T00${2 + kept}` });
  });

test('an unreachable server fails with exit code 7 and the address without the password', async () => {
  const { apps } = await openTeam(server, 1, { busyTimeoutMs: 300 });
  const { platform } = apps[0]!;
  const app = createApp({ ...platform, databaseUrl: 'postgres://cleo:hunter2@127.0.0.1:1/postgres' });
  const { exitCode, envelope } = await dispatch(app, { operation: 'tasks.add', gateway: 'cli', params: { title: 'Into the void' } });
  expect([exitCode, (envelope.error as { code: string }).code]).toEqual([7, 'E_STORE_UNAVAILABLE']);
  expect(JSON.stringify(envelope)).not.toContain('hunter2');
});

test('a proxy that closes the connection at once fails with exit code 7 after the timeout', async () => {
  const wire = await openProxy(server.url, 'before');
  wire.cutAt(1);
  const options = { url: wire.url, schema: 'cleo_none', busyTimeoutMs: 1000, connectTimeoutMs: 300 };
  const at = '2026-01-01T00:00:00.000Z';
  await expect(createPostgres(options, at)).rejects.toEqual(expect.objectContaining({ code: 'E_STORE_UNREACHABLE', exitCode: 3 }));
  const refusal = expect.objectContaining({ code: 'E_STORE_UNAVAILABLE', exitCode: 7 });
  const store = openPostgres(options);
  onTestFinished(store.close);
  await expect(store.read(({ tasks }) => tasks.exists('T001'))).rejects.toEqual(refusal);
  await expect(store.write({ at, by: 'tester' }, ({ tasks }) => tasks.nextId())).rejects.toEqual(refusal);
});

test('a WorkGraph whose connection is cut is applied completely or not at all, and can be applied again', async () => {
  const { call, rows } = await openTeam(server, 1);
  const [cuts, nodes] = [pickSize(5, 50), 100];
  const payload = (n: number) => ({
    version: 1,
    create: Array.from({ length: nodes }, (_, i) => ({
      ref: `r${i}`,
      title: `Part ${i} of ${n}`,
      ...(i > 0 ? { depends: [`r${i - 1}`] } : {}),
    })),
    relations: [{ from: 'r0', to: 'r1', type: 'related', reason: 'made together' }],
  });
  // The first one warms up; the second measures the duration.
  await call(0, 'workgraph.apply', { payload: payload(-1) });
  const began = performance.now();
  await call(0, 'workgraph.apply', { payload: payload(0) });
  const lifeMs = performance.now() - began;
  let cut = 0;
  for (let n = 1; n <= cuts; n++) {
    let isOver = false;
    const applying = call(0, 'workgraph.apply', { payload: payload(n) }).finally(() => {
      isOver = true;
    });
    await sleep(Math.random() * lifeMs);
    for (let hit = 0; hit === 0 && !isOver; cut += hit) hit = await terminate();
    const { exitCode } = await applying;
    const [{ n: tasks } = {}] = await rows('select count(*)::int as n from $tasks');
    expect(Number(tasks) % nodes).toBe(0);
    const again = await call(0, 'workgraph.apply', { payload: payload(n) });
    expect(exitCode === 0 ? [102] : [0, 102]).toContain(again.exitCode);
  }
  expect(cut).toBeGreaterThan(0);
  expect(await rows('select count(*)::int as n from $tasks')).toEqual([{ n: (cuts + 2) * nodes }]);
  expect(await rows('select count(*)::int as n from $workgraphs')).toEqual([{ n: cuts + 2 }]);
  expect(await rows('select count(*)::int as n from $task_relations')).toEqual([{ n: cuts + 2 }]);
});
