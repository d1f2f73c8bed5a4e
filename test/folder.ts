import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import postgres from 'postgres';
import { inject, onTestFinished } from 'vitest';
import { type Call, dispatch } from '../src/dispatch/dispatch.ts';
import { createApp } from '../src/main.ts';
import { createPlatform } from '../src/platform/platform.ts';
import { createCli, type Json, type TestApp } from './app.ts';
import { addFolder } from './fixes/folders.ts';
import { guardApp } from './fixes/guard.ts';
import { endFolder, endTimeoutMs } from './fixes/record.ts';
import { createTypist } from './typist.ts';

export interface TestFolder {
  root: string;
  env: Record<string, string>;
  /** Calls an operation with a new app, as a process of its own would. */
  call(operation: string, params?: Record<string, unknown>, more?: Partial<Call>): Promise<Json>;
  cli: TestApp['cli'];
  /** Creates a subfolder if it is missing, with the same environment. */
  createSubfolder(path: string): TestFolder;
  withEnv(env: Record<string, string>): TestFolder;
}

/** Creates an empty folder and a home folder, on the engine of this test run. They are removed when the test ends, with the stores
 *  created in them. */
export function createEmptyFolder(): TestFolder {
  const top = realpathSync(mkdtempSync(join(tmpdir(), 'cleo-folder-')));
  const env: Record<string, string> = { HOME: join(top, 'home'), CLEO_AGENT_ID: 'tester' };
  if (process.env.CLEO_TEST_ENGINE === 'postgres') env.CLEO_DATABASE_URL = inject('databaseUrl');
  const keys = new Set<string>();
  onTestFinished(async () => {
    for (const key of keys) await dropSchema(inject('databaseUrl'), key);
    rmSync(top, { recursive: true, force: true });
    await endFolder(top);
  }, endTimeoutMs);
  addFolder(top);
  mkdirSync(join(top, 'home'));
  mkdirSync(join(top, 'project'));
  return openFolder(join(top, 'project'), env, (root) => {
    const key = readProjectKey(root);
    if (key && process.env.CLEO_TEST_ENGINE === 'postgres') keys.add(key);
  });
}

function openFolder(root: string, env: Record<string, string>, onCall: (root: string) => void): TestFolder {
  const createFolderApp = () => guardApp(createApp(createPlatform(env, root, '0.0.0-test')), () => ({ env, folder: root }));
  const createPersonApp = () => {
    const own = { ...env, CLEO_AGENT_ID: '' };
    const platform = createPlatform(own, root, '0.0.0-test');
    const created = createApp({ ...platform, loadTerminal: async () => createTypist(true) });
    return guardApp(created, () => ({ env: own, folder: root, isAtTerminal: true }));
  };
  return {
    root,
    env,
    async call(operation, params = {}, more = {}) {
      const app = createFolderApp();
      const { envelope } = await dispatch(app, { operation, params, gateway: 'cli', ...more });
      await app.closeStores().catch(() => {});
      onCall(root);
      return envelope;
    },
    cli: (words, caller) => createCli(createFolderApp(), env, createPersonApp)(words, caller),
    createSubfolder(path) {
      mkdirSync(join(root, path), { recursive: true });
      return openFolder(join(root, path), env, onCall);
    },
    withEnv: (more) => openFolder(root, { ...env, ...more }, onCall),
  };
}

export function readProjectKey(root: string): string | undefined {
  try {
    return JSON.parse(readFileSync(join(root, '.cleo', 'config.json'), 'utf8')).project?.key;
  } catch {
    return undefined;
  }
}

async function dropSchema(url: string, key: string): Promise<void> {
  const client = postgres(url, { max: 1, onnotice: () => {} });
  await client.unsafe(`drop schema if exists "cleo_${key}" cascade`);
  await client.end({ timeout: 5 });
}
