import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { authenticate } from '#dispatch/authenticate.ts';
import { createApp } from '#main.ts';
import { createPlatform } from '#platform/platform.ts';
import { asPerson } from '../../../test/app.ts';
import { createEmptyFolder, type TestFolder } from '../../../test/folder.ts';

/** A folder of a caller without a name, such as the entry script of a container. */
const createOwnFolder = (): TestFolder => createEmptyFolder().withEnv({ CLEO_AGENT_ID: '', LOGNAME: 'deploy' });

async function findToken({ env, root }: TestFolder, file: string) {
  const app = createApp(createPlatform(env, root, '0.0.0-test'));
  const token = await authenticate(app, readFileSync(file, 'utf8').trim());
  await app.closeStores();
  return token;
}

test('writes the first admin token of a new store to a private file, and logs it', async () => {
  const folder = createOwnFolder();
  const file = join(folder.root, 'admin.token');
  const made = await folder.call('admin.init', { adminTokenFile: 'admin.token' });
  expect(made).toMatchObject({
    project: { created: true },
    adminToken: { name: 'admin', file, expiresAt: expect.stringMatching(/^20/) },
    data: { created: ['admin'] },
  });
  expect(readFileSync(file, 'utf8')).toMatch(/^cleo_[\w-]{43}\n$/);
  expect(JSON.stringify(made)).not.toContain(readFileSync(file, 'utf8').trim());
  if (process.platform !== 'win32') expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(await findToken(folder, file)).toMatchObject({ name: 'admin', scope: 'admin' });
  const { entries } = await folder.call('admin.log');
  expect(entries).toEqual([expect.objectContaining({ operation: 'admin.init', created: ['admin'] })]);
});

test('the same command again changes nothing, as the entry script of a container runs it at each start', async () => {
  const folder = createOwnFolder();
  await folder.call('admin.init', { adminTokenFile: 'admin.token' });
  const secret = readFileSync(join(folder.root, 'admin.token'), 'utf8');
  expect(await folder.call('admin.init', { adminTokenFile: 'admin.token' })).toMatchObject({ _meta: { exitCode: 101 } });
  expect(readFileSync(join(folder.root, 'admin.token'), 'utf8')).toBe(secret);
  expect((await folder.call('admin.token.list', {}, asPerson)).tokens).toHaveLength(1);
});

test.each([
  ['an agent creates the store', { CLEO_AGENT_ID: 'worker' }, false],
  ['an agent client started the command', { CLAUDECODE: '1' }, false],
  ['the store exists', {}, true],
])('needs a person if %s', async (_, env, exists) => {
  const folder = createOwnFolder();
  if (exists) await folder.call('admin.init');
  expect(await folder.withEnv(env).call('admin.init', { adminTokenFile: 'admin.token' })).toMatchObject({
    error: { code: expect.stringMatching(/^E_(AUTONOMOUS_BOUNDARY|FORBIDDEN)$/), exitCode: 64 },
  });
  expect(existsSync(join(folder.root, 'admin.token'))).toBe(false);
  expect(await folder.call('admin.init', { adminTokenFile: 'admin.token' }, asPerson)).toMatchObject({ adminToken: { name: 'admin' } });
});

test('is refused if there are tokens, revoked ones included, and never overwrites a file', async () => {
  const folder = createOwnFolder();
  await folder.call('admin.init');
  writeFileSync(join(folder.root, 'notes.txt'), 'mine');
  expect(await folder.call('admin.init', { adminTokenFile: 'notes.txt' }, asPerson)).toMatchObject({ error: { code: 'E_FILE_ERROR' } });
  expect(readFileSync(join(folder.root, 'notes.txt'), 'utf8')).toBe('mine');
  await folder.call('admin.token.create', { name: 'ci', scope: 'query' }, asPerson);
  await folder.call('admin.token.revoke', { name: 'ci' }, asPerson);
  expect(await folder.call('admin.init', { adminTokenFile: 'admin.token' }, asPerson)).toMatchObject({
    error: { code: 'E_ID_COLLISION', fix: 'cleo token list' },
  });
  expect(existsSync(join(folder.root, 'admin.token'))).toBe(false);
});
