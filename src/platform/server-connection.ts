import { type ClientRequest, Agent as HttpAgent, request as requestHttp } from 'node:http';
import { Agent as HttpsAgent, request as requestHttps } from 'node:https';
import type { ServerAnswer, ServerConnection, ServerRequest } from '#core/model/server-connection.ts';

/** A request that received no answer. `wasSent` is false only if the server cannot have seen it. */
export class NoAnswer extends Error {
  readonly wasSent: boolean;
  constructor(problem: string, wasSent: boolean) {
    super(problem);
    this.wasSent = wasSent;
  }
}

/** Connects to a cleo server. The connection stays open between the requests of this process. */
export function connectServer(address: string): ServerConnection {
  const base = address.replace(/\/+$/, '');
  const isTls = /^https:/i.test(base);
  const options = { keepAlive: true, maxSockets: 8, timeout: 60_000 };
  const agent = isTls ? new HttpsAgent(options) : new HttpAgent(options);
  const post = (path: string, { body, headers, connectTimeoutMs, timeoutMs, signal }: ServerRequest): Promise<ServerAnswer> =>
    new Promise((resolve, reject) => {
      let wasSent = false;
      const fail = (problem: string): void => reject(new NoAnswer(problem, wasSent));
      const request: ClientRequest = (isTls ? requestHttps : requestHttp)(
        `${base}${path}`,
        {
          method: 'POST',
          agent,
          headers: { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body), ...headers },
          ...(signal ? { signal } : {}),
        },
        (response) => {
          const parts: Buffer[] = [];
          response.on('data', (part: Buffer) => parts.push(part));
          response.on('error', (error) => fail(error.message));
          response.on('end', () =>
            response.complete
              ? resolve({ status: response.statusCode ?? 0, text: Buffer.concat(parts).toString('utf8') })
              : fail('the connection broke in the answer'),
          );
        },
      );
      const timer = setTimeout(() => request.destroy(new Error('the connection was not established in time')), connectTimeoutMs);
      request.on('socket', (socket) => {
        socket.setKeepAlive(true, 10_000);
        const begin = (): void => {
          clearTimeout(timer);
          wasSent = true;
          request.setTimeout(timeoutMs, () => request.destroy(new Error(`no answer within ${timeoutMs} ms`)));
        };
        if (socket.connecting) socket.once(isTls ? 'secureConnect' : 'connect', begin);
        else begin();
      });
      request.on('error', (error: NodeJS.ErrnoException) => {
        clearTimeout(timer);
        fail(error.code ? `${error.code}${error.message.includes(error.code) ? '' : `: ${error.message}`}` : error.message);
      });
      request.end(body);
    });
  return { post, close: () => agent.destroy() };
}
