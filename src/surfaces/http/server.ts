import type { Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { createAdaptorServer } from '@hono/node-server';
import { CleoError } from '#core/errors/error.ts';

export interface HttpServer {
  port: number;
  url: string;
  /** Takes nobody new, lets what runs finish for so long, then hangs up. */
  stop(graceMs: number): Promise<void>;
}

export interface ListenOptions {
  host: string;
  port: number;
  /** Who sends its headers, or its whole request, more slowly than this is not waited for. */
  headersTimeoutMs?: number;
  requestTimeoutMs?: number;
}

export async function listen(
  app: { fetch(request: Request, env: never): Promise<Response> | Response },
  options: ListenOptions,
): Promise<HttpServer> {
  const { host, port, headersTimeoutMs = 10_000, requestTimeoutMs = 30_000 } = options;
  const server = createAdaptorServer({
    fetch: app.fetch as never,
    serverOptions: {
      headersTimeout: headersTimeoutMs,
      requestTimeout: requestTimeoutMs,
      keepAliveTimeout: 10_000,
      connectionsCheckingInterval: Math.min(headersTimeoutMs, 2000),
      maxHeaderSize: 16_384,
    },
  }) as Server;
  const connections = trackConnections(server);
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => reject(toListenError(error, host, port)));
    server.listen(port, host, resolve);
  });
  const { address, port: taken, family } = server.address() as AddressInfo;
  return {
    port: taken,
    url: `http://${family === 'IPv6' ? `[${address}]` : address}:${taken}`,
    async stop(graceMs) {
      const closed = new Promise((resolve) => server.close(resolve));
      connections.hangUp();
      const end = setTimeout(() => server.closeAllConnections(), graceMs);
      await closed;
      clearTimeout(end);
    },
  };
}

/** Which connections have a request that is not answered yet. Node's own idea of an idle one leaves out those that have not
 *  sent anything. */
function trackConnections(server: Server): { hangUp(): void } {
  const running = new Map<Socket, number>();
  let isOver = false;
  const change = (socket: Socket, by: 1 | -1): void => {
    const count = (running.get(socket) ?? 0) + by;
    running.set(socket, count);
    if (isOver && count === 0) socket.destroySoon();
  };
  server.on('connection', (socket) => {
    running.set(socket, 0);
    socket.once('close', () => running.delete(socket));
  });
  server.on('request', ({ socket }, response) => {
    change(socket, 1);
    response.once('close', () => change(socket, -1));
  });
  return {
    hangUp() {
      isOver = true;
      for (const [socket, count] of running) if (count === 0) socket.destroy();
    },
  };
}

function toListenError(error: NodeJS.ErrnoException, host: string, port: number): unknown {
  const refuse = (problem: string, fix: string): CleoError =>
    new CleoError('E_CONFIG_ERROR', { path: 'serve.port', problem, fix }, { cause: error });
  if (error.code === 'EADDRINUSE') return refuse(`${port} on ${host} is taken by another process`, 'cleo serve --port 0');
  if (error.code === 'EACCES') return refuse(`${port} may not be used by this user`, 'cleo serve --port 0');
  if (['EADDRNOTAVAIL', 'ENOTFOUND', 'EAI_AGAIN'].includes(error.code ?? ''))
    return refuse(`${host} is no address of this machine`, 'cleo serve');
  return error;
}
