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
  await call('admin.token.create', { name: 'kept', scope: 'query' }, asPerson);
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
      expect.objectContaining({ code: 'E_FORBIDDEN', message: 'A token that allows this is required' }),
    ]);
  await inner.closeStores();
});

test('logs the name of the token unless the call names an agent', async () => {
  const { inner, store } = await open();
  const token = { name: 'ci', scope: 'mutate' as const };
  await dispatch(inner, { operation: 'tasks.add', params: { title: 'x' }, gateway: 'http', token });
  await dispatch(inner, { operation: 'tasks.add', params: { title: 'y' }, gateway: 'http', token, agent: 'worker-7' });
  expect((await store.read((reader) => reader.audit.listAfter(0, 10))).map(({ agent }) => agent)).toEqual(['ci', 'worker-7']);
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
