import { Client, InMemoryTransport, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { onTestFinished } from 'vitest';
import type { Operation } from '../src/core/define.ts';
import type { House } from '../src/dispatch/dispatch.ts';
import { buildHouse } from '../src/main.ts';
import { platformOf } from '../src/platform/platform.ts';
import { mcpHandler } from '../src/surfaces/mcp/http.ts';
import { mcpServer } from '../src/surfaces/mcp/server.ts';
import type { Seen, TestHouse } from './house.ts';
import { caller, clientOptions, type Era, type Talk } from './mcp-client.ts';

/** The house of a server in the project of a test; closed when the test ends. */
export function serverHouse({ env, root }: Pick<TestHouse, 'env' | 'root'>, keepsSession: boolean): House {
  const house = buildHouse(platformOf(env, root, '0.0.0-test'), { keepsSession, serves: true });
  onTestFinished(() => house.closeStores());
  return house;
}

/** A client and a server in this process, joined as a connection joins them. */
export async function overConnection(house: House, era: Era): Promise<Client> {
  const [here, there] = InMemoryTransport.createLinkedPair();
  const handle = serveStdio(() => mcpServer({ house }, era === '2025-11-25' ? 'subscribers' : 'connection'), { transport: there });
  const client = new Client({ name: 'test', version: '1' }, clientOptions(era));
  await client.connect(here);
  onTestFinished(async () => {
    await client.close();
    await handle.close();
  });
  return client;
}

/** A client that sends its requests to the handler instead of the network. */
export async function overHttp(house: House, era: Era, from: Parameters<ReturnType<typeof mcpHandler>['handle']>[1] = {}): Promise<Client> {
  const handler = mcpHandler(house);
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

type Door = (house: TestHouse, operation: Operation, params: Record<string, unknown>) => Promise<{ envelope: Seen; exitCode: number }>;

const through =
  (open: (house: TestHouse) => Promise<Client>): Door =>
  async (house, operation, params) => {
    const call: Talk['call'] = caller(await open(house));
    const { envelope } = await call(operation.kind === 'query' ? 'query' : 'mutate', operation.name, params);
    return { envelope, exitCode: envelope._meta.exitCode ?? 0 };
  };

/** An operation through MCP, each revision over one of the two transports. */
export const mcpDoors: Record<string, Door> = {
  'mcp stdio': through((house) => overConnection(serverHouse(house, true), '2025-11-25')),
  'mcp http': through((house) => overHttp(serverHouse(house, false), '2026-07-28')),
};
