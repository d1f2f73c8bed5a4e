import { Client, InMemoryTransport, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { onTestFinished } from 'vitest';
import type { Operation } from '../src/core/define.ts';
import type { App } from '../src/dispatch/dispatch.ts';
import { createApp } from '../src/main.ts';
import { createPlatform } from '../src/platform/platform.ts';
import { createMcpEndpoint } from '../src/surfaces/mcp/http.ts';
import { createMcpServer } from '../src/surfaces/mcp/server.ts';
import { asPerson, type Json, type TestApp } from './app.ts';
import { guardApp } from './fixes/guard.ts';
import { createClientOptions, createToolCaller, type McpConnection, type Revision } from './mcp-client.ts';
import { needsPerson } from './person-token.ts';

/** Creates the app of an MCP server. It is closed when the test ends. */
export function createMcpApp({ env, root }: Pick<TestApp, 'env' | 'root'>, isSticky: boolean): App {
  const created = createApp(createPlatform(env, root, '0.0.0-test'), { isSticky, isServer: true });
  const app = guardApp(created, () => ({ env, folder: root }));
  onTestFinished(() => app.closeStores());
  return app;
}

/** Connects a client and a server in this process. */
export async function connectInProcess(app: App, era: Revision): Promise<Client> {
  const [clientSide, serverSide] = InMemoryTransport.createLinkedPair();
  const handle = serveStdio(() => createMcpServer({ app }, era === '2025-11-25' ? 'subscribers' : 'connection'), { transport: serverSide });
  const client = new Client({ name: 'test', version: '1' }, createClientOptions(era));
  await client.connect(clientSide);
  onTestFinished(async () => {
    await client.close();
    await handle.close();
  });
  return client;
}

/** Connects a client that sends its requests to the handler instead of the network. */
export async function connectOverHttp(
  app: App,
  era: Revision,
  from: Parameters<ReturnType<typeof createMcpEndpoint>['handle']>[1] = {},
): Promise<Client> {
  const handler = createMcpEndpoint(app);
  const transport = new StreamableHTTPClientTransport(new URL('http://127.0.0.1/mcp'), {
    fetch: (url, init) => handler.handle(new Request(url, init), from),
  });
  const client = new Client({ name: 'test', version: '1' }, createClientOptions(era));
  await client.connect(transport);
  onTestFinished(async () => {
    await client.close();
    await handler.close();
  });
  return client;
}

type SurfaceCall = (app: TestApp, operation: Operation, params: Record<string, unknown>) => Promise<{ envelope: Json; exitCode: number }>;

const callThrough =
  (open: (app: TestApp, operation: Operation) => Promise<Client>): SurfaceCall =>
  async (app, operation, params) => {
    const call: McpConnection['call'] = createToolCaller(await open(app, operation));
    const { envelope } = await call(operation.kind === 'query' ? 'query' : 'mutate', operation.name, params);
    return { envelope, exitCode: envelope._meta.exitCode ?? 0 };
  };

/** Calls operations through MCP, one revision over each transport. */
export const mcpSurfaces: Record<string, SurfaceCall> = {
  'mcp stdio': callThrough((app) => connectInProcess(createMcpApp(app, true), '2025-11-25')),
  'mcp http': callThrough((app, operation) =>
    connectOverHttp(createMcpApp(app, false), '2026-07-28', needsPerson(operation) ? asPerson : {}),
  ),
};
