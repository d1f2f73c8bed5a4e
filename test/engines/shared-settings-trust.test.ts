import { cpSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { dispatch } from '../../src/dispatch/dispatch.ts';
import { createApp } from '../../src/main.ts';
import { createPlatform } from '../../src/platform/platform.ts';
import { asPerson, type Json, openApp, type TestApp } from '../app.ts';
import { createRepository, gitIdentity } from '../repository.ts';
import { createTempFolder } from '../temp-folder.ts';
import { trustProject } from '../trust.ts';

/** Opens the project as a colleague on another machine, who has trusted what the project was at that time. */
async function openColleague({ root, env }: TestApp) {
  const folder = createTempFolder();
  const clone = join(folder, 'project');
  mkdirSync(join(clone, '.cleo'), { recursive: true });
  cpSync(join(root, '.cleo', 'config.json'), join(clone, '.cleo', 'config.json'));
  writeFileSync(join(clone, '.gitignore'), '.cleo\n');
  createRepository(clone).commit({ 'a.txt': 'a' });
  const home = join(folder, 'home');
  mkdirSync(home);
  writeFileSync(join(home, 'config.json'), JSON.stringify({ profiles: { mine: { argv: [process.execPath, '-e', ''] } } }));
  const own = { ...env, CLEO_HOME: home, CLEO_ROOT: clone, CLEO_AGENT_ID: 'bob' };
  await trustProject(clone, own);
  const call = async (operation: string, params: object): Promise<Json> => {
    const app = createApp(createPlatform(own, clone, '0.0.0-test'));
    onTestFinished(() => app.closeStores());
    return (await dispatch(app, { operation, params, gateway: 'cli' })).envelope;
  };
  return { call, root: clone };
}

test('a setting of a colleague that starts programs is obeyed only once this user has trusted it, also by cleo work that waits', async () => {
  const app = await openApp({ engine: 'postgres', tasks: ['T001', 'gate T001 implemented by ada'], env: gitIdentity });
  const { call, root } = await openColleague(app);
  const mark = join(root, 'ran');
  const program = [process.execPath, '-e', `require('node:fs').writeFileSync(${JSON.stringify(mark)}, '')`];
  const refused = (key: string) => ({ error: { code: 'E_PROJECT_UNTRUSTED', message: expect.stringContaining(`${key} in the store`) } });
  for (const [key, value] of [
    ['verification.tools.test', program],
    ['work.verify', program],
    ['work.setup', program],
    ['work.integrate', 'merge'],
  ] as const) {
    expect(await app.call('admin.config.set', { key, value }, asPerson)).toMatchObject({ source: 'store' });
    const isTool = key.startsWith('verification');
    const answer = isTool
      ? await call('verify.gate', { taskId: 'T001', gate: 'testsPassed', evidence: 'tool:test' })
      : // Nothing starts in a dry run: a setting that is replaced later must not have been taken.
        await call('work.run', { profile: 'mine', dryRun: true });
    expect([key, answer]).toMatchObject([key, refused(key)]);
    if (!isTool) await app.call('admin.config.unset', { key }, asPerson);
  }
  expect(existsSync(mark)).toBe(false);
});

test('a token of a database that only a variable names does not change settings and trust of this machine', async () => {
  const { root, env, call } = await openApp({ engine: 'postgres' });
  const token: string = (await call('admin.token.create', { name: 'own', scope: 'admin' }, asPerson)).secret;
  const own = { CLEO_HOME: join(root, 'home'), CLEO_TOKEN: token, CLEO_DATABASE_URL: env.CLEO_DATABASE_URL! };
  const ask = async (operation: string, params: object) => {
    const app = createApp(createPlatform(own, root, '0.0.0-test'));
    const { envelope } = await dispatch(app, { operation, params, gateway: 'cli' });
    await app.closeStores();
    return envelope;
  };
  expect(await ask('admin.token.list', {})).toMatchObject({ success: true });
  expect(await ask('admin.config.set', { key: 'claims.ttlMinutes', value: 60 })).toMatchObject({ success: true, source: 'store' });
  for (const [operation, params] of [
    ['admin.config.set', { key: 'release.gates.x', value: 'sh -c id' }],
    ['admin.config.set', { key: 'decide.proof', value: 'terminal' }],
    ['admin.trust.remove', {}],
  ] as const)
    expect(await ask(operation, params)).toMatchObject({
      error: { code: 'E_FORBIDDEN' },
      _meta: { warnings: [expect.stringContaining('CLEO_DATABASE_URL names a database that this user has not trusted')] },
    });
});
