import { chmodSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openApp, type TestApp } from '../../test/app.ts';
import { forgeLog } from '../../test/forge-log.ts';
import { createApp } from '../main.ts';
import { createPlatform } from '../platform/platform.ts';
import { dispatch } from './dispatch.ts';
import { startSigning } from './sign-log.ts';

/** Serves the project of the app as `cleo serve` does, with a key of the server. */
async function startServer({ root, env }: TestApp) {
  const server = createApp(createPlatform(env, root, '0.0.0-test'), { isServer: true });
  const problems: string[] = [];
  const finish = await startSigning(server, (problem) => problems.push(problem));
  return {
    problems,
    add: (title: string) => dispatch(server, { operation: 'tasks.add', params: { title }, gateway: 'http' }),
    async stop() {
      await finish();
      await server.closeStores();
    },
  };
}

test('a server signs every entry as it commits, and the head when it stops', async () => {
  const app = await openApp();
  await app.call('tasks.add', { title: 'Before' });
  const server = await startServer(app);
  for (const title of ['One', 'Two']) await server.add(title);
  expect((await app.call('admin.audit.verify')).chain).toMatchObject({ entries: 3, level: 'signed', signed: { entries: 3 } });
  const heads = join(app.root, '.cleo', 'audit-heads.jsonl');
  expect(existsSync(heads)).toBe(false);
  await server.stop();
  expect(JSON.parse(readFileSync(heads, 'utf8'))).toMatchObject({ kind: 'head', seq: 3 });
  expect(server.problems).toEqual([]);
});

test('a rebuilt log does not match the signatures of the server', async () => {
  const app = await openApp();
  const server = await startServer(app);
  for (const title of ['One', 'Two']) await server.add(title);
  await forgeLog(app, (columns) => columns.with(4, 'mallory'));
  expect((await app.call('admin.audit.verify')).error).toMatchObject({ exitCode: 20, details: { seq: 2 } });
  await app.tamper('update audit_log set signature = null');
  expect((await app.call('admin.audit.verify')).chain).toMatchObject({ level: 'unsigned' });
  await server.stop();
  expect((await app.call('admin.audit.verify')).chain).toMatchObject({ entries: 2 });
});

test('audit verify reports signatures that were removed', async () => {
  const app = await openApp();
  const server = await startServer(app);
  for (const title of ['One', 'Two', 'Three']) await server.add(title);
  expect((await app.call('admin.audit.verify'))._meta).not.toHaveProperty('warnings');
  await app.tamper('update audit_log set signature = null where seq > 1');
  expect(await app.call('admin.audit.verify')).toMatchObject({
    chain: { level: 'signed', signed: { entries: 1 } },
    _meta: { warnings: [expect.stringContaining('entries 2 to 3 have no signature')] },
  });
  await server.stop();
});

test('a server without a usable key runs, and reports why', async () => {
  const app = await openApp();
  await app.call('admin.audit.sign');
  chmodSync(join(app.root, 'home', 'keys', 'audit.pem'), 0o644);
  const server = await startServer(app);
  expect((await server.add('One')).exitCode).toBe(0);
  expect(server.problems).toEqual([expect.stringContaining('the audit log is not signed')]);
  await server.stop();
});
