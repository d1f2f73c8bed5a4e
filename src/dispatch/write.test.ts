import { describe, expect, onTestFinished, test } from 'vitest';
import { CleoError } from '#core/errors/error.ts';
import { createApp } from '#main.ts';
import { createPlatform } from '#platform/platform.ts';
import { asPerson, openApp, type TestApp } from '../../test/app.ts';
import { openSkillProject } from '../../test/skill-project.ts';
import { authenticate, hasTokens } from './authenticate.ts';
import { renewLease } from './lease.ts';

const start = '2026-01-01T00:00:00.000Z';
const later = '2026-01-01T00:01:00.000Z';
const key = { idempotencyKey: 'k1' };
const readLog = (app: TestApp) => app.store.read((reads) => reads.audit.listAfter(0, 100));
const logged = async (app: TestApp) => (await readLog(app)).map(({ operation, exitCode }) => `${operation} ${exitCode}`);
const listClaims = (app: TestApp) => app.store.read((reads) => reads.claims.list());

/** Opens the same project in another app whose clock shows `now`. */
function openAt({ env, root }: TestApp, now: string) {
  const app = createApp({ ...createPlatform(env, root, '0.0.0-test'), now: () => now });
  onTestFinished(() => app.closeStores());
  return app;
}

describe('the log', () => {
  test('has every field of a success and of a failure', async () => {
    const app = await openApp({ clock: { now: start }, tasks: ['T001', 'session session-1 task:T001 by tester'] });
    await app.call('tasks.add', { title: 'x', dryRun: false }, { gateway: 'http' });
    await app.call('tasks.update', { taskId: 'T900', title: 'x' }, { agent: 'ada' });
    const common = { timestamp: start, session: 'session-1', domain: 'tasks', durationMs: expect.any(Number), hash: expect.any(String) };
    const [first, second] = await readLog(app);
    expect(second!.historySeq).toBe(first!.historySeq);
    expect(first).toEqual({
      historySeq: expect.any(Number),
      principal: '{"kind":"agent","via":"http"}',
      project: expect.any(String),
      ...common,
      seq: 1,
      agent: 'tester',
      gateway: 'http',
      operation: 'add',
      params: '{"title":"x","dryRun":false}',
      success: true,
      exitCode: 0,
      created: ['T002'],
      updated: [],
      deleted: [],
      prevHash: '0'.repeat(64),
    });
    expect(Number.isInteger(first?.durationMs) && first!.durationMs >= 0).toBe(true);
    const { session: _, ...outside } = common;
    expect(second).toEqual({
      historySeq: first!.historySeq,
      principal: '{"kind":"agent","via":"shell"}',
      project: expect.any(String),
      ...outside,
      seq: 2,
      agent: 'ada',
      gateway: 'cli',
      operation: 'update',
      params: '{"taskId":"T900","title":"x"}',
      success: false,
      exitCode: 4,
      errorCode: 'E_NOT_FOUND',
      created: [],
      updated: [],
      deleted: [],
      prevHash: first?.hash,
    });
  });

  test.each([
    ['a wrong shape', 'tasks.add', {}, {}, ['add 2']],
    ['a violated rule', 'tasks.add', { title: '' }, {}, ['add 6']],
    ['the wrong gateway', 'tasks.add', { title: 'x' }, { kind: 'query' }, ['add 2']],
    ['a token that may not write', 'tasks.add', { title: 'x' }, { token: { name: 'ci', scope: 'query' } }, ['add 64']],
    ['an unknown session', 'tasks.add', { title: 'x' }, { session: 'session-9' }, ['add 31']],
    ['an unknown operation', 'tasks.ad', {}, {}, []],
    ['an invalid agent', 'tasks.add', { title: 'x' }, { agent: 'a b' }, []],
    ['a failed read', 'tasks.show', { taskId: 'T900' }, {}, []],
    ['a dry run that fails', 'tasks.add', { title: 'x', parent: 'T900', dryRun: true }, {}, ['add 10']],
  ] as Array<[string, string, Record<string, unknown>, object, string[]]>)('of %s', async (_, operation, params, more, expected) => {
    const app = await openApp();
    await app.call(operation, params, more);
    expect(await logged(app)).toEqual(expected);
  });

  test.each([
    ['names the token of a call under another agent', { agent: 'ada' }, { title: 'x', '@token': 'ci' }],
    ['does not repeat the token as the agent', { agent: 'ci' }, { title: 'x' }],
    ['does not repeat the token without an agent', {}, { title: 'x' }],
  ])('%s', async (_, more, params) => {
    const app = await openApp();
    await app.call('tasks.add', { title: 'x' }, { ...more, token: { name: 'ci', scope: 'mutate' } });
    expect(JSON.parse((await readLog(app))[0]!.params)).toEqual(params);
  });

  test('hides secrets, and records only the length of free text of a run', async () => {
    const app = await openApp();
    await app.call('tasks.add', { title: 'x', description: 'password=hunter2hunter2' });
    await app.call('review.resolve', { reviewId: 'x', note: 'abc' }, asPerson);
    const [add, resolve] = (await readLog(app)).map(({ params }) => JSON.parse(params));
    expect(add).toEqual({ title: 'x', description: 'password=[redacted]' });
    expect(resolve).toEqual({ reviewId: 'x', note: { length: 5 } });
  });
});

test('a call that failed before its session was looked up is logged in its session', async () => {
  const app = await openApp({ tasks: ['T001', 'session session-1 task:T001 by tester'] });
  const inputError = new CleoError('E_INVALID_INPUT', { problem: 'not JSON', fix: 'cleo help add' });
  expect((await app.call('tasks.add', {})).error.message).toBe('title is required');
  expect((await app.call('tasks.add', { title: 'x' }, { inputError })).error.message).toBe('not JSON');
  const failed = { session: 'session-1', success: false, exitCode: 2 };
  expect(await readLog(app)).toMatchObject([failed, failed]);
});

describe('an idempotency key', () => {
  test('replays the answer without a second effect and without a second entry', async () => {
    const clock = { now: start };
    const app = await openApp({ clock });
    const first = await app.call('tasks.add', { title: 'x' }, key);
    clock.now = later;
    expect(await app.call('tasks.add', { title: 'x' }, key)).toEqual({ ...first, _meta: { ...first._meta, replayed: true } });
    expect(await logged(app)).toEqual(['add 0']);
    expect((await app.call('tasks.list')).tasks).toHaveLength(1);
  });

  test('rejects other parameters', async () => {
    const app = await openApp();
    await app.call('tasks.add', { title: 'x' }, key);
    expect((await app.call('tasks.add', { title: 'y' }, key)).error).toEqual({
      code: 'E_VALIDATION_IDEMPOTENCY_KEY',
      exitCode: 6,
      message: 'idempotencyKey was used before with other parameters',
      fix: 'cleo log --limit 5',
      details: { field: 'idempotencyKey' },
    });
    expect(await logged(app)).toEqual(['add 0', 'add 6']);
    expect((await app.call('tasks.list')).tasks).toHaveLength(1);
  });

  test('of a failed or previewed write can be used again', async () => {
    const { call } = await openApp();
    await call('tasks.add', { title: 'x', parent: 'T900' }, key);
    await call('tasks.add', { title: 'x', dryRun: true }, key);
    const answer = await call('tasks.add', { title: 'y' }, key);
    expect(answer).toMatchObject({ success: true, task: { id: 'T001' } });
    expect(answer._meta).not.toHaveProperty('replayed');
  });

  test('replays the exit code and the session of the first call', async () => {
    const { reply } = await openApp({ tasks: ['T001', 'session session-1 task:T001 by tester'] });
    await reply('tasks.add', { title: 'x' }, key);
    const { envelope, exitCode } = await reply('tasks.add', { title: 'x' }, { ...key, agent: 'ada' });
    expect({ exitCode, ...envelope._meta }).toMatchObject({ exitCode: 0, sessionId: 'session-1', replayed: true });
  });

  test('does not show a secret again', async () => {
    const { call } = await openApp();
    const create = () => call('admin.token.create', { name: 'ci', scope: 'query' }, { ...key, ...asPerson });
    expect((await create()).secret).toMatch(/^cleo_/);
    expect(await create()).toMatchObject({ secret: '[shown once]', token: { name: 'ci' } });
  });
});

// SQLite only: on PostgreSQL leases follow the clock of the database, which a test cannot move.
describe('claims', () => {
  const claim = async (clock: { now: string }) => {
    const app = await openApp({ engine: 'sqlite', clock, tasks: ['T001', 'T002'] });
    await app.call('tasks.start', { taskId: 'T001' });
    await app.as('ada').call('tasks.start', { taskId: 'T002' });
    clock.now = later;
    return app;
  };

  test.each([
    ['a write', 'tasks.add', { title: 'x' }, later],
    ['a failed write', 'tasks.add', { title: '' }, start],
    ['a dry run', 'tasks.add', { title: 'x', dryRun: true }, start],
    ['a read', 'tasks.list', {}, start],
  ])('are renewed or not by %s of their holder', async (_, operation, params, renewedAt) => {
    const app = await claim({ now: start });
    await app.call(operation, params);
    expect(await listClaims(app)).toMatchObject([
      { agent: 'tester', renewedAt },
      { agent: 'ada', renewedAt: start },
    ]);
  });

  test.each([
    ['not before a quarter of the shortest limit has passed', '2026-01-01T00:01:00.000Z', 'tester', start],
    ['after a quarter of the shortest limit', '2026-01-01T00:01:00.001Z', 'tester', '2026-01-01T00:01:00.001Z'],
    ['not for a caller without a claim', '2026-01-01T00:01:00.001Z', 'bob', start],
  ])('of a connected caller are renewed without a log entry: %s', async (_, now, agent, renewedAt) => {
    const clock = { now: start };
    const claims = { ttlMinutes: 60, awayMinutes: 4, silentMinutes: 20 };
    const app = await openApp({ engine: 'sqlite', clock, config: { claims }, tasks: ['T001'] });
    await app.call('tasks.start', { taskId: 'T001' });
    await renewLease(openAt(app, now), { agent });
    expect(await listClaims(app)).toMatchObject([{ agent: 'tester', renewedAt }]);
    expect(await logged(app)).toEqual(['start 0']);
  });
});

describe('a job', () => {
  test.each([
    ['succeeds', 'research.archive', {}, ['archive 0']],
    ['is a dry run', 'research.archive', { dryRun: true }, []],
    ['fails', 'research.link', { entryId: 'T009-none', taskId: 'T001' }, ['link 4']],
  ])('is marked as finished if it %s', async (_, operation, params, expected) => {
    const app = await openApp({ tasks: ['T001 done', 'research T001-parsers: Parsers'] });
    await app.call(operation, params);
    expect(await app.store.read((reads) => reads.health.listStartedJobs())).toEqual([]);
    expect(await logged(app)).toEqual(expected);
  });

  test('is marked as started while it runs', async () => {
    const app = await openSkillProject({ clock: { now: start } });
    app.writeConstruct('execution: {phases: [p]}\nskills: [{name: wait, phase: p}]\n');
    app.writeSkill('wait', 'sleep 1');
    const running = app.call('construct.run');
    const list = () => app.store.read((reads) => reads.health.listStartedJobs());
    await expect.poll(list, { timeout: 10_000 }).toMatchObject([{ operation: 'construct.run', agent: 'tester', startedAt: start }]);
    expect((await running).success).toBe(true);
    expect(await list()).toEqual([]);
  });
});

describe('a token', () => {
  test('is found by its secret until it is revoked', async () => {
    const app = await openApp();
    const other = openAt(app, start);
    expect(await hasTokens(other)).toBe(false);
    const { secret } = await app.call('admin.token.create', { name: 'ci', scope: 'mutate' }, asPerson);
    expect(await hasTokens(other)).toBe(true);
    expect(await authenticate(other, secret)).toEqual({ name: 'ci', scope: 'mutate' });
    expect(await authenticate(other, `cleo_${'a'.repeat(43)}`)).toBeUndefined();
    expect(await authenticate(other, `${secret} `)).toBeUndefined();
    await app.call('admin.token.revoke', { name: 'ci' }, asPerson);
    expect(await authenticate(other, secret)).toBeUndefined();
    expect(await hasTokens(other)).toBe(false);
  });

  test.each([
    ['query', 'tasks.list', undefined, 100],
    ['query', 'tasks.add', undefined, 64],
    ['query', 'research.archive', undefined, 64],
    ['mutate', 'tasks.add', undefined, 0],
    ['mutate', 'admin.token.create', undefined, 64],
    ['mutate', 'admin.token.list', undefined, 64],
    ['admin', 'admin.token.create', undefined, 0],
    ['query', 'tasks.nope', 'mutate', 64],
    ['query', 'tasks.nope', 'query', 2],
    ['mutate', 'tasks.nope', 'mutate', 2],
  ] as const)('of scope %s that calls %s (%s) gets exit code %i', async (scope, operation, kind, exitCode) => {
    const { reply } = await openApp();
    const params = { 'tasks.add': { title: 'x' }, 'admin.token.create': { name: 'x', scope: 'query' } }[operation as string] ?? {};
    const { error, ...rest } = await reply(operation, params, { token: { name: 'ci', scope }, ...(kind ? { kind } : {}) });
    expect(rest.exitCode).toBe(exitCode);
    const command = operation.startsWith('admin.')
      ? `cleo ${operation.slice(6).replace('.', ' ')}`
      : 'cleo token create --name client-mutate --scope mutate';
    if (exitCode === 64) expect(error?.fix).toBe(`Ask a person to run: ${command}`);
  });

  test('is checked before the parameters', async () => {
    const { reply } = await openApp();
    expect((await reply('tasks.add', {}, { token: { name: 'ci', scope: 'query' } })).exitCode).toBe(64);
  });
});
