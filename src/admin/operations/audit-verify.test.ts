import { expect, test } from 'vitest';
import { openApp, type TestApp } from '../../../test/app.ts';

const openWithEntries = async (count: number): Promise<TestApp> => {
  const app = await openApp();
  for (let i = 1; i <= count; i++) await app.call('tasks.add', { title: `Task ${i}` });
  return app;
};

test('accepts an unchanged log, even an empty one', async () => {
  const app = await openApp();
  expect(await app.call('admin.audit.verify')).toMatchObject({ success: true, chain: { ok: true, entries: 0, head: '0'.repeat(64) } });
  await app.call('tasks.add', { title: 'First' });
  await app.call('tasks.add', { title: 'Refused', parent: 'T009' });
  expect(await app.call('admin.audit.verify')).toMatchObject({
    chain: { ok: true, entries: 2, head: expect.stringMatching(/^[0-9a-f]{64}$/) },
  });
});

test('exits with 20, names the first broken entry and suggests a command that works', async () => {
  const app = await openWithEntries(4);
  await app.tamper("update audit_log set agent_id = 'mallory' where seq in (2, 4)");
  const { error } = await app.call('admin.audit.verify');
  expect(error).toMatchObject({
    code: 'E_CHECKSUM_MISMATCH',
    exitCode: 20,
    details: { seq: 2 },
    message: expect.stringContaining('entry 2 was changed'),
  });
  expect((await app.cli(error.fix)).exitCode).toBe(0);
});

test('verifies logs longer than one batch', async () => {
  const app = await openApp();
  await app.store.write({ at: 'x', by: 'x' }, async ({ audit }) => {
    const draft = {
      timestamp: 'x',
      agent: 'x',
      gateway: 'cli',
      domain: 'tasks',
      operation: 'add',
      params: '{}',
      success: true,
      exitCode: 0,
    } as const;
    for (let i = 0; i < 4100; i++) await audit.append({ ...draft, created: [], updated: [], deleted: [], durationMs: 0 });
  });
  expect(await app.call('admin.audit.verify')).toMatchObject({ chain: { entries: 4100 } });
  await app.tamper('delete from audit_log where seq = 4050');
  expect(await app.call('admin.audit.verify')).toMatchObject({ error: { details: { seq: 4050 } } });
});
