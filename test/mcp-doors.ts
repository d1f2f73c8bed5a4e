import { Client, InMemoryTransport, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { onTestFinished } from 'vitest';
import type { Operation } from '../src/core/define.ts';
import type { App } from '../src/dispatch/dispatch.ts';
import { createApp } from '../src/main.ts';
import { platformOf } from '../src/platform/platform.ts';
import { mcpHandler } from '../src/surfaces/mcp/http.ts';
import { mcpServer } from '../src/surfaces/mcp/server.ts';
import type { Seen, TestApp } from './app.ts';
import { caller, clientOptions, type Era, type Talk } from './mcp-client.ts';

/** The house of a server in the project of a test; closed when the test ends. */
export function serverApp({ env, root }: Pick<TestApp, 'env' | 'root'>, keepsSession: boolean): App {
  const app = createApp(platformOf(env, root, '0.0.0-test'), { isSticky: keepsSession, isServer: true });
  onTestFinished(() => app.closeStores());
  return app;
}

/** A client and a server in this process, joined as a connection joins them. */
export async function overConnection(app: App, era: Era): Promise<Client> {
  const [ctx, there] = InMemoryTransport.createLinkedPair();
  const handle = serveStdio(() => mcpServer({ app }, era === '2025-11-25' ? 'subscribers' : 'connection'), { transport: there });
  const client = new Client({ name: 'test', version: '1' }, clientOptions(era));
  await client.connect(ctx);
  onTestFinished(async () => {
    await client.close();
    await handle.close();
  });
  return client;
}

/** A client that sends its requests to the handler instead of the network. */
export async function overHttp(app: App, era: Era, from: Parameters<ReturnType<typeof mcpHandler>['handle']>[1] = {}): Promise<Client> {
  const handler = mcpHandler(app);
  const transport = new StreamableHTTPClientTransport(new URL('http://127.0.0.1/mcp'), {
    fetch: (url, init) => handler.handle(new Request(url, init), from),
  });
  const client = new Client({ name: 'test', version: '1' }, clientOptions(era));
  await client.connect(transport);
  onTestFinished(async () => {
    await client.close();
    await handler.close();
  });
  return client;
}

type Door = (app: TestApp, operation: Operation, params: Record<string, unknown>) => Promise<{ envelope: Seen; exitCode: number }>;

const through =
  (open: (app: TestApp) => Promise<Client>): Door =>
  async (app, operation, params) => {
    const call: Talk['call'] = caller(await open(app));
    const { envelope } = await call(operation.kind === 'query' ? 'query' : 'mutate', operation.name, params);
    return { envelope, exitCode: envelope._meta.exitCode ?? 0 };
  };

/** An operation through MCP, each revision over one of the two transports. */
export const mcpDoors: Record<string, Door> = {
  'mcp stdio': through((app) => overConnection(serverApp(app, true), '2025-11-25')),
  'mcp http': through((app) => overHttp(serverApp(app, false), '2026-07-28')),
};
