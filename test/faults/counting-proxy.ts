import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

export interface CountingProxy {
  url: string;
  /** Returns the round trips since the last call: how often a client sent something after the server had answered. */
  takeCount(): number;
  /** Returns the time from the first message of a client to the last answer, since the last call of `takeCount`. */
  getDuration(): number;
  /** Delays every message by half of this time in each direction. */
  setDelay(roundTripMs: number): void;
  /** Stops forwarding in both directions without closing the connections, like a network that fails. */
  freeze(): void;
}

/** Opens a proxy to PostgreSQL that counts round trips. The TCP handshake is not counted. */
export async function openCountingProxy(to: string): Promise<CountingProxy> {
  const target = new URL(to);
  let count = 0;
  let [firstMs, lastMs] = [0, 0];
  let delayMs = 0;
  let isFrozen = false;
  const sockets = new Set<Socket>();
  const forward = (bytes: Buffer, socket: Socket, onSent = (): void => {}): void => {
    if (isFrozen) return;
    const send = (): void => {
      onSent();
      if (!socket.destroyed) socket.write(bytes);
    };
    if (delayMs === 0) send();
    else setTimeout(send, delayMs / 2);
  };
  const proxy = createServer({ noDelay: true }, (client) => {
    const upstream = connect({ port: Number(target.port), host: target.hostname, noDelay: true });
    let isAnswered = true;
    let isReading = false;
    let tripMs = Number.NEGATIVE_INFINITY;
    client.on('data', (bytes) => {
      const text = bytes.toString('latin1');
      if (/begin/.test(text)) isReading = /read only/.test(text);
      // The Terminate message gets no answer, and no command waits for the commit of a read.
      // The answers to messages that were sent one right after the other arrive one after the other, too: what is sent between them
      // waits for no delay of its own.
      const isTrip = isAnswered && performance.now() - tripMs >= delayMs / 2;
      if (isTrip && bytes[0] !== 0x58 && !(isReading && text.endsWith('commit\0'))) count++;
      if (isTrip) tripMs = performance.now();
      isAnswered = false;
      firstMs ||= performance.now();
      forward(bytes, upstream);
    });
    upstream.on('data', (bytes) =>
      forward(bytes, client, () => {
        isAnswered = true;
        lastMs = performance.now();
      }),
    );
    for (const [socket, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(socket);
      socket.on('error', () => other.destroy());
      socket.on('close', () => {
        sockets.delete(socket);
        if (!isFrozen) setTimeout(() => other.destroy(), delayMs);
      });
    }
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    proxy.close();
    for (const socket of sockets) socket.destroy();
  });
  const url = new URL(to);
  url.port = String((proxy.address() as AddressInfo).port);
  return {
    url: url.href,
    takeCount() {
      const taken = count;
      count = 0;
      firstMs = 0;
      return taken;
    },
    getDuration: () => lastMs - firstMs,
    setDelay(roundTripMs) {
      delayMs = roundTripMs;
    },
    freeze() {
      isFrozen = true;
    },
  };
}
