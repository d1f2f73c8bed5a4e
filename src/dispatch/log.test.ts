import { expect, test } from 'vitest';
import { type Json, openApp } from '../../test/app.ts';
import { sha256 } from '../lib/digest.ts';

const at = '2026-01-01T00:00:00.000Z';

test('a call that fails with 7 leaves no log entry', async () => {
  const app = await openApp({ engine: 'sqlite', clock: { now: at } });
  // The job of another process holds the key. The store is not locked, so the entry could be written.
  await app.store.write({ at, by: 'tester' }, async ({ jobs, keys }) => {
    await jobs.start('admin.backup.create', 'tester', at);
    await keys.save('admin.backup.create', 'k1', { paramsHash: sha256('{}'), at });
  });
  expect(await app.call('admin.backup.create', {}, { idempotencyKey: 'k1' })).toMatchObject({ error: { exitCode: 7 } });
  const entries = await app.store.read((reads) => reads.audit.listAfter(0, 100));
  expect(entries).toEqual([]);
});

test('a call that fails with another code is logged', async () => {
  const app = await openApp({ tasks: ['T001'] });
  await app.call('tasks.update', { taskId: 'T404', title: 'x' });
  const entries = await app.store.read((reads) => reads.audit.listAfter(0, 100));
  expect(entries).toMatchObject([{ operation: 'update', success: false, exitCode: 4, errorCode: 'E_NOT_FOUND' }]);
});

test.each([
  ['mutation', 'tasks.add', { title: 'Too late' }],
  ['job', 'research.archive', {}],
])('a %s whose caller stopped waiting does not start and is not logged', async (_, operation, params) => {
  const app = await openApp({ tasks: ['T001 done', 'research T001-parsers: Parsers'] });
  expect(await app.call(operation, params, { signal: AbortSignal.abort() })).toMatchObject({
    error: { code: 'E_LOCK_TIMEOUT', exitCode: 7 },
  });
  expect(await app.call('tasks.show', { taskId: 'T002' })).toMatchObject({ error: { code: 'E_NOT_FOUND' } });
  expect((await app.call('research.list')).entries).toHaveLength(1);
  expect(await app.store.read((reads) => reads.audit.listAfter(0, 100))).toEqual([]);
});

test('the log names the token of a call that names an agent below it', async () => {
  const app = await openApp({ tasks: ['T001'] });
  const token = { name: 'ci', scope: 'mutate' as const };
  for (const agent of ['ci', 'ci/bob']) await app.call('tasks.update', { taskId: 'T001', notes: agent }, { token, agent });
  const { entries } = await app.call('admin.log');
  expect(entries.map(({ agent, params }: Json) => [agent, params['@token']])).toEqual([
    ['ci/bob', 'ci'],
    ['ci', undefined],
  ]);
});

test('a call that the configuration forbids is not logged, one with wrong parameters is', async () => {
  const app = await openApp({ tasks: ['T001'], config: { sync: { mode: 'off' } } });
  expect(await app.call('sync.run')).toMatchObject({ error: { exitCode: 8 } });
  expect(await app.call('tasks.update', { taskId: 'T001', nope: 1 })).toMatchObject({ error: { exitCode: 2 } });
  const { entries } = await app.call('admin.log');
  expect(entries.map(({ operation, exitCode }: Json) => `${operation} ${exitCode}`)).toEqual(['tasks.update 2']);
});
