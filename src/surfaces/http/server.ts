import type { IncomingMessage, RequestListener, Server } from 'node:http';
import { createServer as createHttpsServer, type Server as HttpsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { createAdaptorServer } from '@hono/node-server';
import { CleoError } from '#core/errors/error.ts';
import { defined } from '#lib/collections.ts';
import { type CertificateFiles, followCertificate, readCertificate } from './certificate.ts';

interface HttpServer {
  port: number;
  url: string;
  /** Refuses new connections, waits for running requests, and closes the rest after `graceMs`. */
  stop(graceMs: number): Promise<void>;
}

export interface ListenOptions {
  host: string;
  port: number;
  /** Flags that the suggested command repeats when the port cannot be used. */
  flags?: string[];
  /** Slower clients are disconnected. */
  headersTimeoutMs?: number;
  requestTimeoutMs?: number;
  /** The server speaks TLS with this certificate. */
  certificate?: CertificateFiles;
  /** The time between two looks at the files of the certificate. */
  certificateCheckMs?: number;
  warn?: (problem: string) => void;
}

export async function listen(
  app: { fetch(request: Request, env: never): Promise<Response> | Response },
  options: ListenOptions,
): Promise<HttpServer> {
  const { host, port, flags = [], headersTimeoutMs = 10_000, requestTimeoutMs = 30_000, certificate, warn = () => {} } = options;
  const server = createAdaptorServer({
    fetch: app.fetch as never,
    ...(certificate ? { createServer: createHttpsServer } : {}),
    serverOptions: {
      ...(certificate ? { ...readCertificate(certificate), minVersion: 'TLSv1.2', handshakeTimeout: headersTimeoutMs } : {}),
      headersTimeout: headersTimeoutMs,
      requestTimeout: Math.max(requestTimeoutMs, maxLongRequestMs),
      keepAliveTimeout: 10_000,
      connectionsCheckingInterval: Math.min(headersTimeoutMs, 2000),
      maxHeaderSize: 16_384,
    },
  } as Parameters<typeof createAdaptorServer>[0]) as Server;
  takeTurns(server);
  endSlowRequests(server, requestTimeoutMs);
  const connections = trackConnections(server);
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => reject(toListenError(error, { host, port, flags })));
    server.listen(port, host, resolve);
  });
  const stopFollowing =
    certificate && followCertificate(server as HttpsServer, certificate, { warn, ...defined({ checkMs: options.certificateCheckMs }) });
  const { address, port: taken, family } = server.address() as AddressInfo;
  return {
    port: taken,
    url: `${certificate ? 'https' : 'http'}://${family === 'IPv6' ? `[${address}]` : address}:${taken}`,
    async stop(graceMs) {
      stopFollowing?.();
      const closed = new Promise((resolve) => server.close(resolve));
      connections.closeIdle();
      const end = setTimeout(() => server.closeAllConnections(), graceMs);
      await closed;
      clearTimeout(end);
    },
  };
}

/** The slowest upload of 256 MiB that is accepted: 75 kB/s. */
const maxLongRequestMs = 3_600_000;
const minBytesPerMs = 75;

/** Ends requests whose body takes too long. One that announces a long body, or sends one in chunks, has more time, as long as it is not slower
 *  than `minBytesPerMs`: Node's own limit is the same for all requests. */
function endSlowRequests(server: Server, timeoutMs: number): void {
  const arriving = new Map<IncomingMessage, { startedAt: number; bytesBefore: number }>();
  server.on('request', (request: IncomingMessage) => {
    arriving.set(request, { startedAt: performance.now(), bytesBefore: request.socket.bytesRead });
    request.once('close', () => arriving.delete(request));
  });
  const timer = setInterval(
    () => {
      const now = performance.now();
      for (const [request, { startedAt, bytesBefore }] of arriving) {
        const spentMs = now - startedAt;
        const isSlow = request.socket.bytesRead - bytesBefore < (spentMs - timeoutMs) * minBytesPerMs;
        if (request.complete) arriving.delete(request);
        else if (spentMs > timeoutMs && isSlow) request.socket.destroy();
      }
    },
    Math.min(timeoutMs, 2000),
  ).unref();
  server.once('close', () => clearInterval(timer));
}

/** The event with the socket that requests have: with TLS, the connection below is another one. */
const getConnectionEvent = (server: Server): string => ('setSecureContext' in server ? 'secureConnection' : 'connection');

/** Tracks which connections have a running request. Node does not count a connection that has sent nothing as idle, so
 *  `closeIdleConnections` would leave it open. */
function trackConnections(server: Server): { closeIdle(): void } {
  const running = new Map<Socket, number>();
  let isStopping = false;
  const change = (socket: Socket, by: 1 | -1): void => {
    const count = (running.get(socket) ?? 0) + by;
    running.set(socket, count);
    if (isStopping && count === 0) socket.destroySoon();
  };
  server.on(getConnectionEvent(server), (socket: Socket) => {
    running.set(socket, 0);
    socket.once('close', () => running.delete(socket));
  });
  server.on('request', ({ socket }, response) => {
    change(socket, 1);
    response.once('close', () => change(socket, -1));
  });
  // With TLS a connection has no request, and no socket that is tracked, before the handshake is complete.
  const handshakes = new Map<string, Socket>();
  const toKey = ({ remoteAddress, remotePort }: Socket): string => `${remoteAddress} ${remotePort}`;
  if ('setSecureContext' in server) {
    server.on('connection', (socket: Socket) => {
      const key = toKey(socket);
      handshakes.set(key, socket);
      socket.once('close', () => handshakes.delete(key));
    });
    server.on('secureConnection', (socket: Socket) => handshakes.delete(toKey(socket)));
  }
  return {
    closeIdle() {
      isStopping = true;
      for (const socket of handshakes.values()) socket.destroy();
      for (const [socket, count] of running) if (count === 0) socket.destroy();
    },
  };
}

/** The number of requests of one connection that may wait before its socket is no longer read. */
const maxWaiting = 16;

/** Serves the requests of one connection one after the other, so that a client that sends thousands at once does not delay the others.
 *  Node would start all of them as soon as they arrive. */
function takeTurns(server: Server): void {
  const serveRequest = server.listeners('request')[0] as RequestListener;
  const waiting = new Map<Socket, Parameters<RequestListener>[]>();
  const serveNext = (socket: Socket): void => {
    const queue = waiting.get(socket);
    const next = queue?.shift();
    if (queue && queue.length < maxWaiting && socket.isPaused()) socket.resume();
    if (!next) {
      waiting.delete(socket);
      return;
    }
    // Requests of other connections are read before the next one of this connection.
    next[1].once('close', () => {
      // Bun reads on at the end of every response, and emits no event for it.
      pauseIfFull(socket);
      setImmediate(serveNext, socket);
    });
    serveRequest(...next);
  };
  server.removeAllListeners('request');
  const pauseIfFull = (socket: Socket): void => {
    if ((waiting.get(socket)?.length ?? 0) >= maxWaiting) socket.pause();
  };
  server.on(getConnectionEvent(server), (socket: Socket) => {
    socket.once('close', () => waiting.delete(socket));
    // Node reads on at the end of every request.
    socket.on('resume', () => pauseIfFull(socket));
  });
  server.on('request', (...request) => {
    const { socket } = request[0];
    const queue = waiting.get(socket);
    if (!queue) {
      waiting.set(socket, [request]);
      serveNext(socket);
      return;
    }
    queue.push(request);
    pauseIfFull(socket);
  });
}

function toListenError(
  error: NodeJS.ErrnoException,
  { host, port, flags }: Required<Pick<ListenOptions, 'host' | 'port' | 'flags'>>,
): unknown {
  const onAnyPort = ['cleo', 'serve', '--port', '0', ...flags].join(' ');
  const createError = (problem: string, fix: string): CleoError =>
    new CleoError(
      'E_CONFIG_ERROR',
      { path: 'serve.port', problem, fix, manual: 'Start the server on another address or port' },
      { cause: error },
    );
  if (error.code === 'EADDRINUSE') return createError(`${port} on ${host} is used by another process`, onAnyPort);
  if (error.code === 'EACCES') return createError(`${port} may not be used by this user`, onAnyPort);
  if (['EADDRNOTAVAIL', 'ENOTFOUND', 'EAI_AGAIN'].includes(error.code ?? ''))
    return createError(`${host} is not an address of this machine`, 'cleo serve');
  return error;
}
