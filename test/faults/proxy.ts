import { type AddressInfo, connect, createServer } from 'node:net';
import { onTestFinished } from 'vitest';

export interface Proxy {
  url: string;
  /** Cuts the connection at the first message that matches, or at the nth message of a connection and every later one. */
  cutAt(message: RegExp | number): void;
  wasCut(): boolean;
  /** Leaves it to `hook` when a message that matches goes on to the server, which sees the connection at `port`. */
  intercept(message: RegExp, hook: (port: number, forward: () => void) => void): void;
}

/** Opens a proxy that can cut the connection at a message of the client: before the server receives it, or after it answered. A message that
 *  is named by a pattern must end a transaction. */
export async function openProxy(to: string, when: 'before' | 'after'): Promise<Proxy> {
  const target = new URL(to);
  let where: RegExp | number | undefined;
  let wasCut = false;
  let intercepted: Parameters<Proxy['intercept']> | undefined;
  const proxy = createServer((client) => {
    const upstream = connect(Number(target.port), target.hostname);
    const cut = (): void => {
      client.destroy();
      upstream.destroy();
    };
    let sent = 0;
    let isCutting = false;
    client.on('data', (bytes) => {
      sent++;
      if (typeof where === 'number' ? sent >= where : where?.test(bytes.toString('latin1'))) isCutting = true;
      if (isCutting) {
        wasCut = true;
        if (typeof where !== 'number') where = undefined;
      }
      const forward = (): void => void (upstream.destroyed || upstream.write(bytes));
      if (isCutting && when === 'before') cut();
      else if (intercepted?.[0].test(bytes.toString('latin1'))) intercepted[1](upstream.localPort!, forward);
      else forward();
    });
    // Answers to earlier messages may still be on their way. After that to a commit, the server is in no transaction.
    const isAnswer = (bytes: Buffer): boolean => typeof where === 'number' || bytes.includes('Z\0\0\0\x05I', undefined, 'latin1');
    upstream.on('data', (bytes) => (isCutting && isAnswer(bytes) ? cut() : client.write(bytes)));
    for (const socket of [client, upstream]) socket.on('error', cut).on('close', cut);
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void proxy.close());
  const url = new URL(to);
  url.port = String((proxy.address() as AddressInfo).port);
  return {
    url: url.href,
    cutAt(message) {
      where = message;
    },
    wasCut: () => wasCut,
    intercept: (...args) => {
      intercepted = args;
    },
  };
}
