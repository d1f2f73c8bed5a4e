import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { dispatch } from '../../src/dispatch/dispatch.ts';
import { createApp } from '../../src/main.ts';
import { createPlatform } from '../../src/platform/platform.ts';
import { createPostgres } from '../../src/store/dialects/postgres-schema.ts';
import { startPostgres } from '../postgres.ts';
import { createFaultFolder } from './processes.ts';

test('an address with several servers passes over one that is down and one that is read-only', async () => {
  const [primary, replica] = await Promise.all([startPostgres(), startPostgres(['-c', 'default_transaction_read_only=on'])]);
  onTestFinished(async () => {
    await primary.stop();
    await replica.stop();
  });
  const key = 'failover';
  await createPostgres({ url: primary.url, schema: `cleo_${key}`, busyTimeoutMs: 15_000 }, '2026-01-01T00:00:00.000Z');
  const folder = createFaultFolder();
  mkdirSync(join(folder, '.cleo'), { mode: 0o700 });
  writeFileSync(join(folder, '.cleo', 'config.json'), JSON.stringify({ project: { key } }));
  const toHost = (url: string): string => new URL(url).host;
  const hosts = ['127.0.0.1:1', toHost(replica.url), toHost(primary.url)].join(',');
  const url = `postgres://cleo@${hosts}/postgres?target_session_attrs=read-write`;
  const app = createApp(
    createPlatform({ CLEO_ROOT: folder, CLEO_HOME: join(folder, 'home'), CLEO_DATABASE_URL: url }, folder, '0.0.0-test'),
  );
  onTestFinished(() => app.closeStores());
  const add = async (title: string) => (await dispatch(app, { operation: 'tasks.add', params: { title }, gateway: 'cli' })).envelope;
  expect(await add('One')).toMatchObject({ success: true, task: { id: 'T001' } });
  // The connection is lost with the server, and the next call finds the one that accepts writes.
  await primary.restart(200);
  expect(await add('Two')).toMatchObject({ success: true, task: { id: 'T002' } });
  expect((await dispatch(app, { operation: 'tasks.list', params: {}, gateway: 'cli' })).envelope.tasks).toHaveLength(2);
});
