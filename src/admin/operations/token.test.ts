import { expect, test } from 'vitest';
import { authenticate, hasTokens } from '#dispatch/authenticate.ts';
import { dispatch } from '#dispatch/dispatch.ts';
import { createApp } from '#main.ts';
import { createPlatform } from '#platform/platform.ts';
import { asPerson, openApp } from '../../../test/app.ts';

const isFresh = /^cleo_[A-Za-z0-9_-]{43}$/;

async function open() {
  const app = await openApp();
  const inner = createApp(createPlatform(app.env, app.root, '0.0.0-test'));
  return { ...app, inner };
}

test('creates a token, shows its secret once, lists and revokes it', async () => {
  const { call } = await openApp();
  const created = await call('admin.token.create', { name: 'ci', scope: 'mutate' }, asPerson);
  expect(created).toMatchObject({ token: { name: 'ci', scope: 'mutate', createdBy: 'ada' }, data: { created: ['ci'] } });
  expect(created.secret).toMatch(isFresh);
  const list = await call('admin.token.list', {}, asPerson);
  expect(list).toMatchObject({ tokens: [{ name: 'ci', scope: 'mutate' }] });
  expect(JSON.stringify(list)).not.toContain(created.secret);
  expect(await call('admin.token.revoke', { name: 'ci' }, asPerson)).toMatchObject({
    token: { revokedAt: expect.any(String) },
    data: { updated: ['ci'] },
  });
  expect(await call('admin.token.revoke', { name: 'ci' }, asPerson)).toMatchObject({ _meta: { exitCode: 102 } });
  expect(await call('admin.token.list', {}, asPerson)).toMatchObject({ tokens: [{ name: 'ci', revokedAt: expect.any(String) }] });
});

test('exits with 100 without tokens', async () => {
  const { call } = await openApp();
  expect(await call('admin.token.list', {}, asPerson)).toMatchObject({ _meta: { exitCode: 100 }, success: true, tokens: [] });
});

test('creates unique secrets and never reuses a name', async () => {
  const { call } = await openApp();
  const secrets = new Set<string>();
  for (let i = 0; i < 20; i++) secrets.add((await call('admin.token.create', { name: `t${i}`, scope: 'query' }, asPerson)).secret);
  expect(secrets.size).toBe(20);
  await call('admin.token.revoke', { name: 't3' }, asPerson);
  expect(await call('admin.token.create', { name: 't3', scope: 'query' }, asPerson)).toMatchObject({
    error: { code: 'E_ID_COLLISION', exitCode: 22, fix: 'cleo token list' },
  });
  expect(await call('admin.token.create', { name: 'http', scope: 'query' }, asPerson)).toMatchObject({
    error: { code: 'E_VALIDATION_NAME' },
  });
  expect(await call('admin.token.revoke', { name: 'missing' }, asPerson)).toMatchObject({ error: { code: 'E_NOT_FOUND' } });
});

test('does not store the secret in tokens, log or idempotency keys', async () => {
  const { call, store } = await openApp();
  const key = { idempotencyKey: 'once' };
  const { secret } = await call('admin.token.create', { name: 'ci', scope: 'admin' }, { ...key, ...asPerson });
  expect(await call('admin.token.create', { name: 'ci', scope: 'admin' }, { ...key, ...asPerson })).toMatchObject({
    _meta: { replayed: true },
    secret: '[shown once]',
  });
  await call('tasks.add', { title: `Use ${secret}`, description: secret });
  const stored = await store.read(async (reader) => ({
    tokens: await reader.tokens.list(),
    log: await reader.audit.listAfter(0, 10),
    kept: await reader.keys.get('admin.token.create', 'once'),
  }));
  expect(stored.tokens).toHaveLength(1);
  expect(stored.log).toHaveLength(2);
  expect(JSON.stringify(stored)).not.toContain(secret);
  expect(JSON.stringify(stored)).not.toContain(secret.slice(5));
});

test('accepts only the secret of an active token', async () => {
  const { call, inner } = await open();
  expect(await hasTokens(inner)).toBe(false);
  const { secret } = await call('admin.token.create', { name: 'ci', scope: 'mutate' }, asPerson);
  expect(await hasTokens(inner)).toBe(true);
  expect(await authenticate(inner, secret)).toEqual({ name: 'ci', scope: 'mutate' });
  const last = secret.at(-1) === 'A' ? 'B' : 'A';
  for (const wrong of ['', 'ci', secret.slice(0, -1), `${secret.slice(0, -1)}${last}`, `${secret} `, secret.slice(5), secret.toUpperCase()])
    expect(await authenticate(inner, wrong), wrong).toBeUndefined();
  await call('admin.token.revoke', { name: 'ci' }, asPerson);
  expect(await authenticate(inner, secret)).toBeUndefined();
  expect(await hasTokens(inner)).toBe(false);
  await inner.closeStores();
});

test('restoring a backup does not reactivate a revoked token', async () => {
  const { call } = await openApp({ engine: 'sqlite' });
  await call('admin.token.create', { name: 'active', scope: 'query' }, asPerson);
  await call('admin.token.create', { name: 'gone', scope: 'admin' }, asPerson);
  const { backup } = await call('admin.backup.create');
  await call('admin.token.revoke', { name: 'gone' }, asPerson);
  expect(await call('admin.backup.restore', { id: backup.id }, asPerson)).toMatchObject({ success: true });
  const { tokens } = await call('admin.token.list', {}, asPerson);
  expect(tokens).toEqual([
    expect.not.objectContaining({ revokedAt: expect.any(String) }),
    expect.objectContaining({ name: 'gone', revokedAt: expect.any(String) }),
  ]);
});

test('compares hashes in constant time', async () => {
  const { call, inner } = await open();
  const { secret } = await call('admin.token.create', { name: 'ci', scope: 'query' }, asPerson);
  const compared: [string, string][] = [];
  const { platform } = inner;
  const watched = {
    ...inner,
    platform: { ...platform, isSameSecret: (a: string, b: string) => compared.push([a, b]) > 0 && platform.isSameSecret(a, b) },
  };
  expect(await authenticate(watched, secret)).toMatchObject({ name: 'ci' });
  expect(compared).toEqual([[platform.sha256(secret), platform.sha256(secret)]]);
  await inner.closeStores();
});

test.each([
  ['query', 'tasks.list', true],
  ['query', 'tasks.add', false],
  ['query', 'admin.token.list', false],
  ['mutate', 'tasks.add', true],
  ['mutate', 'admin.token.create', false],
  ['mutate', 'admin.backup.restore', false],
  ['decide', 'admin.token.create', false],
  ['admin', 'admin.token.create', true],
] as const)('a token of scope %s may call %s: %s', async (scope, operation, isAllowed) => {
  const { inner } = await open();
  const params = { 'tasks.add': { title: 'x' }, 'admin.token.create': { name: 'new', scope: 'query' } }[operation as string] ?? {};
  const { envelope, exitCode } = await dispatch(inner, { operation, params, gateway: 'http', token: { name: 'ci', scope } });
  if (isAllowed) expect(envelope.success).toBe(true);
  else
    expect([exitCode, envelope.error]).toEqual([
      64,
      expect.objectContaining({
        code: 'E_FORBIDDEN',
        message: expect.stringMatching(/^This needs a token that allows more: token \S+ has scope \w+$/),
      }),
    ]);
  await inner.closeStores();
});

test('logs the name of the token unless the call names an agent', async () => {
  const { inner, store } = await open();
  const token = { name: 'ci', scope: 'mutate' as const };
  await dispatch(inner, { operation: 'tasks.add', params: { title: 'x' }, gateway: 'http', token });
  await dispatch(inner, { operation: 'tasks.add', params: { title: 'y' }, gateway: 'http', token, agent: 'ci/worker-7' });
  expect((await store.read((reader) => reader.audit.listAfter(0, 10))).map(({ agent }) => agent)).toEqual(['ci', 'ci/worker-7']);
  await inner.closeStores();
});

test('a token without write access gets the same error for an unknown operation as for a writing one, without suggestions', async () => {
  const { call } = await openApp();
  const reader = { token: { name: 'dashboard', scope: 'query' }, kind: 'mutate' } as const;
  const { error: known } = await call('tasks.add', { title: 'x' }, reader);
  expect(known).toMatchObject({ code: 'E_FORBIDDEN' });
  expect((await call('tasks.ad', { title: 'x' }, reader)).error).toEqual(known);
  expect((await call('tasks.ad', {}, { ...reader, kind: 'query' })).error).toMatchObject({ code: 'E_INVALID_OPERATION' });
});

test('a token expires after 90 days, belongs to the person of its name and acts under it, unless it says otherwise', async () => {
  const clock = { now: '2026-01-01T00:00:00.000Z' };
  const { call } = await openApp({ clock });
  const plain = await call('admin.token.create', { name: 'ada', scope: 'mutate' }, asPerson);
  expect(plain.token).toEqual({
    name: 'ada',
    scope: 'mutate',
    role: 'contributor',
    actsAs: 'ada',
    owner: 'ada',
    ownerKind: 'person',
    createdAt: clock.now,
    createdBy: 'ada',
    expiresAt: '2026-04-01T00:00:00.000Z',
  });
  const bound = { name: 'ci-2', role: 'viewer', service: 'builds', actsAs: 'ci', expires: 'never', callsPerMinute: 60 };
  const { token } = await call('admin.token.create', bound, asPerson);
  expect(token).toMatchObject({ scope: 'query', role: 'viewer', actsAs: 'ci', owner: 'builds', ownerKind: 'service', callsPerMinute: 60 });
  expect(token).not.toHaveProperty('expiresAt');
  expect((await call('admin.token.list', {}, asPerson)).tokens).toEqual([plain.token, token]);
});

test.each([
  [{}, 'E_INVALID_INPUT'],
  [{ scope: 'query', role: 'viewer' }, 'E_INVALID_INPUT'],
  [{ scope: 'query', person: 'ada', service: 'ci' }, 'E_INVALID_INPUT'],
  [{ scope: 'query', expires: '2025-12-30' }, 'E_VALIDATION_EXPIRES'],
  [{ scope: 'query', expires: 'soon' }, 'E_VALIDATION_EXPIRES'],
  [{ scope: 'query', actsAs: 'http' }, 'E_VALIDATION_ACTS_AS'],
  [{ scope: 'query', callsPerMinute: 0 }, 'E_VALIDATION_CALLS_PER_MINUTE'],
])('a token with %j is refused', async (params, code) => {
  const { call } = await openApp({ clock: { now: '2026-01-01T00:00:00.000Z' } });
  expect(await call('admin.token.create', { name: 'ci', ...params }, asPerson)).toMatchObject({ error: { code } });
});

test.each([
  ['viewer', 'query'],
  ['contributor', 'mutate'],
  ['maintainer', 'decide'],
  ['owner', 'admin'],
])('the role %s has the scope %s', async (role, scope) => {
  const { call } = await openApp();
  expect(await call('admin.token.create', { name: 'ci', role }, asPerson)).toMatchObject({ token: { role, scope } });
});

test('rejects an expired token with the command for its successor, and does not count it', async () => {
  const { call, inner } = await open();
  const { secret } = await call('admin.token.create', { name: 'ci', scope: 'mutate', expires: '1h' }, asPerson);
  expect(await authenticate(inner, secret)).toMatchObject({ name: 'ci' });
  const later = { ...inner, platform: { ...inner.platform, now: () => new Date(Date.now() + 3_600_001).toISOString() } };
  await expect(authenticate(later, secret)).rejects.toMatchObject({
    code: 'E_UNAUTHORIZED',
    message: expect.stringMatching(/^Token ci expired at 2/),
    fix: 'Ask a person to run: cleo token create --name ci-2 --scope mutate --acts-as ci',
  });
  expect([await hasTokens(inner), await hasTokens(later)]).toEqual([true, false]);
  await inner.closeStores();
});

test('a token is worth nothing in a project with another key', async () => {
  const { call, inner, store } = await open();
  const { secret } = await call('admin.token.create', { name: 'ci', scope: 'admin' }, asPerson);
  const token = await store.read(({ tokens }) => tokens.get('ci'));
  const { platform } = inner;
  expect(token).toMatchObject({ project: platform.config.load(platform.getProject()!)['project.key'] });
  await store.write({ at: '', by: '' }, ({ tokens }) =>
    tokens.insert({ ...token!, name: 'copied', hash: inner.platform.sha256(`cleo_${'a'.repeat(43)}`), project: 'another_1' }),
  );
  expect(await authenticate(inner, secret)).toMatchObject({ name: 'ci' });
  expect(await authenticate(inner, `cleo_${'a'.repeat(43)}`)).toBeUndefined();
  await inner.closeStores();
});

test('a token acts under its own name or one below it, and the log says whose token it was', async () => {
  const { inner, store, call } = await open();
  const token = { name: 'ada-laptop', scope: 'mutate', agent: 'ada', owner: 'ada' } as const;
  const add = async (agent?: string) =>
    dispatch(inner, { operation: 'tasks.add', params: { title: 'x' }, gateway: 'cleo_mutate', token, ...(agent ? { agent } : {}) });
  for (const agent of [undefined, 'ada', 'ada/worker-1']) expect((await add(agent)).exitCode).toBe(0);
  for (const agent of ['bob', 'adam', 'ada-laptop', 'http'])
    expect((await add(agent)).envelope.error).toMatchObject({
      code: 'E_FORBIDDEN',
      exitCode: 64,
      message: `Token ada-laptop acts as ada, or as a name below it such as ada/${agent}; ${agent} is another name`,
    });
  await call('tasks.add', { title: 'without a token' });
  const entries = await store.read(({ audit }) => audit.listAfter(0, 20));
  expect(entries.filter(({ success }) => success).map(({ agent }) => agent)).toEqual(['ada', 'ada', 'ada/worker-1', expect.any(String)]);
  expect(new Set(entries.filter(({ success }) => !success).map(({ agent }) => agent))).toEqual(new Set(['ada']));
  expect(JSON.parse(entries[0]!.principal!)).toMatchObject({ kind: 'agent', via: 'token', token: 'ada-laptop', owner: 'ada' });
  const log = await call('admin.log', { token: 'ada-laptop' });
  expect(log.entries.length).toBe(entries.filter(({ principal }) => principal?.includes('ada-laptop')).length);
  expect(log.entries.every(({ principal }: { principal: { token: string } }) => principal.token === 'ada-laptop')).toBe(true);
  expect(await call('admin.log', { token: 'ADA-LAPTOP' })).toMatchObject({ _meta: { exitCode: 100 } });
  await inner.closeStores();
});

test('a token of a service is no person in the log, whatever its scope', async () => {
  const { inner, store } = await open();
  const token = { name: 'ci', scope: 'admin', ownerKind: 'service' } as const;
  await dispatch(inner, { operation: 'tasks.add', params: { title: 'x' }, gateway: 'http', token });
  const [entry] = await store.read(({ audit }) => audit.listAfter(0, 1));
  expect(JSON.parse(entry!.principal!)).toMatchObject({ kind: 'agent', token: 'ci' });
  await inner.closeStores();
});
