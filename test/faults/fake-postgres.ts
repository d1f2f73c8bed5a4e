import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TLSSocket } from 'node:tls';
import { onTestFinished } from 'vitest';

export interface Certificates {
  folder: string;
  /** The file of the authority. */
  authority: string;
  /** Creates a certificate, for example with the name `DNS:localhost`; returns its files. */
  issue(name: string): { cert: string; key: string };
  remove(): void;
}

/** Creates an authority with the openssl command. */
export function createCertificates(): Certificates {
  const folder = mkdtempSync(join(tmpdir(), 'cleo-certificates-'));
  const authority = join(folder, 'ca.crt');
  const openssl = (...args: string[]): void => void execFileSync('openssl', args, { cwd: folder, stdio: 'pipe' });
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  openssl('req', '-x509', ...key, '-keyout', 'ca.key', '-out', 'ca.crt', '-days', '2', '-subj', '/CN=cleo test authority');
  let count = 0;
  return {
    folder,
    authority,
    issue(name) {
      const file = `server-${++count}`;
      writeFileSync(join(folder, `${file}.ext`), `subjectAltName=${name}\n`);
      openssl('req', ...key, '-keyout', `${file}.key`, '-out', `${file}.csr`, '-subj', '/CN=test');
      const sign = ['x509', '-req', '-in', `${file}.csr`, '-CA', 'ca.crt', '-CAkey', 'ca.key', '-CAcreateserial', '-days', '2'];
      openssl(...sign, '-extfile', `${file}.ext`, '-out', `${file}.crt`);
      return { cert: join(folder, `${file}.crt`), key: join(folder, `${file}.key`) };
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

export interface FakePostgres {
  port: number;
  /** Everything that clients sent, decrypted. */
  received(): string;
  connections(): number;
}

const toMessage = (type: string, body: Buffer): Buffer => {
  const head = Buffer.alloc(5);
  head.write(type, 'latin1');
  head.writeInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
};
const toInt32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes;
};
/** Authentication requests of the protocol. */
export const requests = {
  clearText: toMessage('R', toInt32(3)),
  md5: toMessage('R', Buffer.concat([toInt32(5), Buffer.from('salt')])),
  scram: toMessage('R', Buffer.concat([toInt32(10), Buffer.from('SCRAM-SHA-256\0\0')])),
  /** A server that skips the proof and says that the login succeeded. */
  ok: Buffer.concat([toMessage('R', toInt32(0)), toMessage('Z', Buffer.from('I'))]),
};

/** Starts a server that records what it receives and answers the login with `answers`, one after each message. */
export async function startFakePostgres(answers: Buffer[], tls?: { cert: string; key: string }): Promise<FakePostgres> {
  let received = '';
  let connections = 0;
  const talk = (socket: Socket): void => {
    let count = 0;
    socket.on('data', (bytes: Buffer) => {
      received += bytes.toString('latin1');
      const answer = answers[count++];
      if (answer) socket.write(answer);
    });
    socket.on('error', () => {});
  };
  const server = createServer((socket) => {
    connections++;
    socket.on('error', () => {});
    socket.once('data', (first: Buffer) => {
      const isTlsRequest = first.length === 8 && first.readInt32BE(4) === 80_877_103;
      if (isTlsRequest && tls) {
        socket.write('S');
        talk(new TLSSocket(socket, { isServer: true, cert: readFileSync(tls.cert), key: readFileSync(tls.key) }));
      } else if (isTlsRequest) {
        socket.write('N');
        talk(socket);
      } else {
        talk(socket);
        socket.emit('data', first);
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return { port: (server.address() as AddressInfo).port, received: () => received, connections: () => connections };
}
