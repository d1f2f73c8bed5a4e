import { createHash } from 'node:crypto';
import { onTestFinished } from 'vitest';
import type { Operation } from '../src/core/define.ts';
import type { TokenScope } from '../src/core/model/token.ts';
import { type App, dispatch } from '../src/dispatch/dispatch.ts';
import { createApp } from '../src/main.ts';
import { createPlatform } from '../src/platform/platform.ts';
import { asPerson, type Json, type TestApp } from './app.ts';
import { startServer } from './http-server.ts';
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
