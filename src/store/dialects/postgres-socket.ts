import { connect, isIP, Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { isLoopbackHost, isLoopbackIp } from '#core/rules/postgres-address.ts';
import type { PostgresServer, PostgresTarget } from './postgres-target.ts';

export interface SocketSource {
  /** Opens a connection to the next server that answers. Never rejects: the driver would wait for ever, so an error arrives as
   *  the error of the socket. */
  open(): Promise<Socket>;
  /** Returns the socket that was opened last. */
  getSocket(): Socket | undefined;
  /** Returns the password for the connection that was opened last. It stays pending if the connection was rejected. */
  readPassword(): Promise<string>;
  /** Returns the reason why no connection was opened, or why it was closed by this client. */
  getError(): Error | undefined;
}

/** Opens the sockets of the driver, which itself sends a password to whatever server asks for it, in whatever form. */
export function createSocketSource(target: PostgresTarget): SocketSource {
  let next = 0;
  let current: { server: PostgresServer; socket: Socket } | undefined;
  let lastError: Error | undefined;
  const openNext = async (): Promise<Socket> => {
    const { servers } = target;
    for (let attempt = 1; ; attempt++) {
      const server = servers[next % servers.length] as PostgresServer;
      next++;
      try {
        const socket = await openSecure(server, target);
        checkAuthentication(socket, server, (error) => {
          lastError = error;
          socket.destroy(error);
        });
        current = { server, socket };
        return socket;
      } catch (error) {
        // Another server of the list is tried if this one does not answer, never after a failed check.
        if (attempt >= servers.length || !isUnanswered(error)) throw error;
      }
    }
  };
  return {
    open: () =>
      openNext().catch((error: Error) => {
        lastError = error;
        const failed = new Socket();
        setImmediate(() => failed.destroy(error));
        return failed;
      }),
    getSocket: () => current?.socket,
    readPassword: () =>
      current && !current.socket.destroyed && 'value' in current.server.password
        ? Promise.resolve(current.server.password.value)
        : new Promise(() => {}),
    getError: () => lastError,
  };
}

const isUnanswered = (error: unknown): boolean => /^(E[A-Z]+|CONNECT_TIMEOUT)$/.test(String((error as NodeJS.ErrnoException).code));

/** Creates an error of this client, which `fromPostgresError` reports as an unreachable store. */
const createInsecureError = (problem: string): Error => Object.assign(new Error(problem), { code: 'CONNECT_INSECURE' });

async function openSecure(server: PostgresServer, target: PostgresTarget): Promise<Socket> {
  const socket = await openPlain(server, target.timeoutMs / target.servers.length);
  const { mode } = server.tls;
  if (mode === 'disable' || server.host.startsWith('/')) return socket;
  try {
    if (await requestTls(socket, target.timeoutMs)) return await startTls(socket, server, target);
  } catch (error) {
    socket.destroy();
    throw error;
  }
  if (mode === 'prefer' || mode === 'allow') return socket;
  socket.destroy();
  throw createInsecureError(`the server offers no TLS; ${adviseTls(server)}`);
}

function openPlain({ host, port }: PostgresServer, timeoutMs: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = host.startsWith('/') ? connect(`${host}/.s.PGSQL.${port}`) : connect({ host, port, noDelay: true });
    const fail = (error: Error): void => {
      clearTimeout(timer);
      socket.destroy();
      reject(error);
    };
    const timer = setTimeout(() => fail(createTimeoutError(timeoutMs)), timeoutMs);
    socket.once('error', fail);
    socket.once('connect', () => {
      clearTimeout(timer);
      socket.removeListener('error', fail);
      // A resolver can point the name of this machine elsewhere. A server that closes the connection at once leaves no address.
      if (socket.destroyed || (socket.remoteAddress === undefined && !host.startsWith('/')))
        fail(Object.assign(new Error('the server closed the connection'), { code: 'ECONNRESET' }));
      else if (isLoopbackHost(host) && !host.startsWith('/') && !isLoopbackIp(socket.remoteAddress ?? ''))
        fail(createInsecureError(`${host} is ${socket.remoteAddress}, which is not this machine`));
      else resolve(socket);
    });
  });
}

const createTimeoutError = (timeoutMs: number): Error =>
  Object.assign(new Error(`no answer within ${Math.round(timeoutMs / 1000)} s`), { code: 'CONNECT_TIMEOUT' });

/** Asks for TLS; returns false if the server does not offer it. */
function requestTls(socket: Socket, timeoutMs: number): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const end = (): void => {
      clearTimeout(timer);
      for (const event of ['data', 'error', 'close']) socket.removeAllListeners(event);
    };
    const fail = (error: Error): void => {
      end();
      reject(error);
    };
    const timer = setTimeout(() => fail(createTimeoutError(timeoutMs)), timeoutMs);
    socket.once('error', fail);
    socket.once('close', () => fail(Object.assign(new Error('the server closed the connection'), { code: 'ECONNRESET' })));
    socket.once('data', (answer: Buffer) => {
      end();
      // More than one byte was sent before the encryption began, possibly by an attacker between.
      if (answer.length === 1 && (answer[0] === 0x53 || answer[0] === 0x4e)) resolve(answer[0] === 0x53);
      else reject(createInsecureError('the answer to the request for TLS is invalid'));
    });
    // SSLRequest of the PostgreSQL protocol: length 8, code 80877103.
    socket.write(Buffer.from([0, 0, 0, 8, 0x04, 0xd2, 0x16, 0x2f]));
  });
}

async function startTls(socket: Socket, server: PostgresServer, target: PostgresTarget): Promise<TLSSocket> {
  const tls = await import('node:tls');
  const { host } = server;
  const { mode } = server.tls;
  const isVerified = mode === 'verify-full' || mode === 'verify-ca';
  const ca = isVerified ? target.readAuthorities() : undefined;
  return new Promise((resolve, reject) => {
    const secured = tls.connect({
      socket,
      rejectUnauthorized: isVerified,
      ...(ca ? { ca } : {}),
      // An IP address is not allowed as a server name.
      ...(isIP(host) ? {} : { servername: host }),
      // Node compares the certificate with `localhost` if there is no server name, so the host is passed explicitly.
      checkServerIdentity: (_name, certificate) => (mode === 'verify-full' ? tls.checkServerIdentity(host, certificate) : undefined),
    });
    const fail = (error: NodeJS.ErrnoException): void => {
      clearTimeout(timer);
      secured.destroy();
      reject(isVerified && isCertificateError(error) ? createInsecureError(`${error.message}; ${adviseTls(server)}`) : error);
    };
    const timer = setTimeout(() => fail(createTimeoutError(target.timeoutMs)), target.timeoutMs);
    secured.once('error', fail);
    secured.once('secureConnect', () => {
      clearTimeout(timer);
      secured.removeListener('error', fail);
      resolve(secured);
    });
  });
}

const isCertificateError = ({ code = '' }: NodeJS.ErrnoException): boolean =>
  /^(CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO|ERR_TLS_CERT|HOSTNAME)/.test(code);

function adviseTls({ tls }: PostgresServer): string {
  const ignored = tls.ignored
    ? `the project's address asks for sslmode=${tls.ignored}, which only your own configuration may decide; `
    : '';
  return (
    `${ignored}trust its authority with PGSSLROOTCERT, ` +
    'or accept a weaker check with PGSSLMODE or with sslmode in CLEO_DATABASE_URL (see docs/guide/postgres.md)'
  );
}

/** Watches the authentication and closes the connection before the driver would send a password in a form that a server can use
 *  elsewhere. The driver reads the same bytes after this listener, and sends nothing over a closed connection. */
function checkAuthentication(socket: Socket, server: PostgresServer, close: (error: Error) => void): void {
  let pending: Buffer = Buffer.alloc(0);
  let isProofMissing = false;
  const reject = (problem: string): void => {
    socket.removeListener('data', read);
    close(createInsecureError(problem));
  };
  const handle = (method: number): void => {
    const isPassword = method === 3 || method === 5;
    if (isPassword && !isLoopbackHost(server.host))
      reject(
        `the server asks for the password ${method === 3 ? 'in clear text' : 'as an MD5 hash'}, which is allowed only on this machine; ` +
          'let it use scram-sha-256',
      );
    else if ((isPassword || method === 10) && 'problem' in server.password) reject(server.password.problem);
    else if (method === 10) isProofMissing = true;
    else if (method === 12) isProofMissing = false;
    else if (method === 0 && isProofMissing) reject('the server did not prove that it knows the password');
    else if (method === 0) socket.removeListener('data', read);
  };
  const read = (bytes: Buffer): void => {
    pending = pending.length === 0 ? bytes : Buffer.concat([pending, bytes]);
    while (pending.length >= 5) {
      const length = pending.readUInt32BE(1) + 1;
      if (pending.length < length) return;
      if (pending[0] === 0x52 && length >= 9) handle(pending.readUInt32BE(5));
      pending = pending.subarray(Math.max(length, 5));
    }
  };
  socket.on('data', read);
}
