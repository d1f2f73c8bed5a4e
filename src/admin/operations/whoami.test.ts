import { expect, test } from 'vitest';
import { asPerson, openApp } from '../../../test/app.ts';

test('an agent in a shell may write, and says by which proof a person decides', async () => {
  const app = await openApp({ tasks: ['T001 epic', 'T002 in T001'], agent: 'ada' });
  expect(await app.call('admin.whoami')).toMatchObject({
    caller: { agent: 'ada', kind: 'agent', via: 'shell' },
    scope: 'mutate',
    canWrite: true,
    proof: 'terminal',
    store: process.env.CLEO_TEST_ENGINE === 'postgres' ? 'postgres' : 'sqlite',
    version: '0.0.0-test',
  });
  const { session } = await app.call('session.start', { scope: 'epic:T001', autoFocus: true });
  expect((await app.call('admin.whoami')).caller.session).toBe(session.id);
});

test('a token has its scope and its name', async () => {
  const app = await openApp();
  const token = { name: 'board', scope: 'query' as const };
  expect(await app.call('admin.whoami', {}, { token, gateway: 'http' })).toMatchObject({
    caller: { agent: 'board', kind: 'agent', via: 'token', token: 'board' },
    scope: 'query',
    canWrite: false,
  });
});

test('follows decide.proof', async () => {
  const app = await openApp();
  await app.call('admin.config.set', { key: 'decide.proof', value: 'passphrase' }, asPerson);
  expect(await app.call('admin.whoami')).toMatchObject({ proof: 'passphrase' });
});
