import { once } from 'node:events';
import { appendFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { HttpReply, ModelApi, ModelReply, ModelRequest } from './model-api.ts';

/** A model API on loopback whose replies a test decides, one after the other. */
export interface StandIn {
  url: string;
  /** Waits for the next request of the conversation. It stays unanswered until `reply`. */
  waitForRequest(): Promise<ModelRequest>;
  /** Answers the request that was waited for last. */
  reply(reply: ModelReply): void;
  close(): void;
}

interface PendingRequest {
  request: ModelRequest;
  answer(reply: HttpReply): void;
}

/** Starts a model API. `log` is a file that gets every request. */
export async function startStandIn(api: ModelApi, log: string): Promise<StandIn> {
  const pending: PendingRequest[] = [];
  let notify = (): void => {};
  let current: PendingRequest | undefined;

  const server = createServer(async (incoming, response) => {
    const request = await readRequest(incoming);
    appendFileSync(log, `${JSON.stringify(request)}\n`);
    const answer = (reply: HttpReply): void => send(response, reply);
    if (!api.isConversation(request)) return answer(api.writeSide(request));
    pending.push({ request, answer });
    notify();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async waitForRequest() {
      while (pending.length === 0) await new Promise<void>((resolve) => (notify = resolve));
      current = pending.shift()!;
      return current.request;
    },
    reply(reply) {
      if (!current) throw new Error('no request to answer');
      current.answer(api.write(reply, current.request));
      current = undefined;
    },
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

async function readRequest(incoming: IncomingMessage): Promise<ModelRequest> {
  let text = '';
  incoming.setEncoding('utf8');
  // A client that is killed in the middle of a request leaves it incomplete.
  try {
    for await (const chunk of incoming) text += chunk;
  } catch {}
  return { method: incoming.method ?? '', path: incoming.url ?? '', body: parseBody(text) };
}

function parseBody(text: string): ModelRequest['body'] {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}

function send(response: ServerResponse, { contentType, body }: HttpReply): void {
  response.writeHead(200, { 'content-type': contentType, 'cache-control': 'no-cache' });
  response.end(body);
}
