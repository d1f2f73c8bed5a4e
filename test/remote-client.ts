import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { Operation } from '../src/core/define.ts';
import type { TokenScope } from '../src/core/model/token.ts';
import { type App, dispatch } from '../src/dispatch/dispatch.ts';
import { createApp } from '../src/main.ts';
import { createPlatform } from '../src/platform/platform.ts';
import { asPerson, type Json, type TestApp } from './app.ts';
import { startServer, type TestServer } from './http-server.ts';
import { needsPerson } from './person-token.ts';

/** Creates a client in the folder of the app, with its own environment. The server has the store. */
export function createClient(
  { root }: Pick<TestApp, 'root'>,
  env: Record<string, string>,
  options: Parameters<typeof createApp>[1] = {},
): App {
  const app = createApp(createPlatform(env, root, '0.0.0-test'), options);
  onTestFinished(() => app.closeStores());
  return app;
}

/** Returns the environment of a client of this server. */
export const toClientEnv = ({ env }: Pick<TestApp, 'env'>, url: string, token: string): Record<string, string> => {
  const { CLEO_DATABASE_URL: _, ...own } = env;
  return { ...own, CLEO_SERVER: url, CLEO_TOKEN: token };
};

/** Stores a token without an entry in the log, and returns its secret. */
export async function grantToken({ store }: Pick<TestApp, 'store'>, scope: TokenScope, name: string): Promise<string> {
  const secret = `cleo_${createHash('sha256').update(name).digest('base64url')}`;
  const at = '2026-01-01T00:00:00.000Z';
  const hash = createHash('sha256').update(secret).digest('hex');
  await store.write({ at, by: name }, ({ tokens }) => tokens.insert({ name, scope, hash, createdAt: at, createdBy: name }));
  return secret;
}

/** A client with a folder of its own, as a colleague has it on another machine. */
export interface RemoteCheckout {
  root: string;
  env: Record<string, string>;
  client: App;
  /** The paths of all requests. */
  requests: string[];
  call(operation: string, params?: object, more?: object): Promise<Json>;
}

/** Creates a client in a folder that the server does not have. */
export async function openRemoteCheckout(
  app: TestApp,
  server: TestServer,
  { token = 'tester', env = {} }: { token?: string; env?: Record<string, string> } = {},
): Promise<RemoteCheckout> {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'cleo-remote-')));
  mkdirSync(join(root, '.cleo'), { mode: 0o700 });
  writeFileSync(join(root, '.cleo', 'config.json'), JSON.stringify({ store: { engine: 'server' } }));
  const { CLEO_DATABASE_URL: _, ...own } = app.env;
  const environment = {
    ...own,
    CLEO_HOME: join(root, 'home'),
    CLEO_ROOT: root,
    CLEO_SERVER: server.url,
    CLEO_TOKEN: await grantToken(app, 'mutate', token),
    ...env,
  };
  const platform = createPlatform(environment, root, '0.0.0-test');
  const requests: string[] = [];
  const connectServer: typeof platform.connectServer = async (address) => {
    const connection = await platform.connectServer(address);
    return {
      ...connection,
      post(path, request) {
        requests.push(path);
        return connection.post(path, request);
      },
    };
  };
  const client = createApp({ ...platform, connectServer });
  onTestFinished(async () => {
    await client.closeStores();
    rmSync(root, { recursive: true, force: true });
  });
  const call: RemoteCheckout['call'] = async (operation, params = {}, more = {}) =>
    (await dispatch(client, { operation, params, gateway: 'cli', ...more })).envelope;
  return { root, env: environment, client, requests, call };
}

/** Calls an operation as a client whose store is behind a server. */
export async function callThroughServer(
  app: TestApp,
  operation: Operation,
  params: Record<string, unknown>,
): Promise<{ envelope: Json; exitCode: number }> {
  const server = await startServer(app);
  const isPerson = needsPerson(operation);
  const agent = isPerson ? asPerson.token.name : (app.env.CLEO_AGENT_ID ?? '');
  const token = await grantToken(app, isPerson ? 'admin' : 'mutate', agent);
  const env = toClientEnv(app, server.url, token);
  if (isPerson) Object.assign(env, { CLEO_AGENT_ID: '', LOGNAME: agent });
  const { envelope, exitCode } = await dispatch(createClient(app, env), { operation: operation.name, params, gateway: 'cli' });
  await server.stop();
  return { envelope, exitCode };
}
