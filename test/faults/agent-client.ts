import { once } from 'node:events';
import { connect } from 'node:net';
import { onTestFinished } from 'vitest';
import type { Json } from '../app.ts';

export type AgentCall = (path: string, params: object) => Promise<Json>;

/** Connects an agent to a server. It calls one operation after another over one connection. Node's own client takes as long for a call as a
 *  quarter of what the server does for it, on the same two cores. */
export async function connectAgent(port: number, agent: string): Promise<AgentCall> {
  const socket = connect({ host: '127.0.0.1', port, noDelay: true });
  await once(socket, 'connect');
  onTestFinished(() => void socket.destroy());
  let received = '';
  let answer: { resolve(text: string): void; reject(error: Error): void } | undefined;
  const fail = (error: Error): void => answer?.reject(error);
  socket.on('error', fail).on('close', () => fail(new Error(`the server closed the connection of ${agent}`)));
  // One character for each byte, so that lengths are those of the header.
  socket.setEncoding('latin1').on('data', (text: string) => {
    received += text;
    const head = received.indexOf('\r\n\r\n');
    if (head < 0) return;
    const length = Number(/^content-length: (\d+)\r$/im.exec(received.slice(0, head + 1))?.[1]);
    if (Number.isNaN(length)) return fail(new Error(`an answer without a length: ${received.slice(0, head)}`));
    if (received.length < head + 4 + length) return;
    const body = Buffer.from(received.slice(head + 4), 'latin1').toString();
    received = '';
    answer?.resolve(body);
  });
  return async (path, params) => {
    const body = JSON.stringify(params);
    const head = [
      'host: 127.0.0.1',
      'content-type: application/json',
      `cleo-agent: ${agent}`,
      `content-length: ${Buffer.byteLength(body)}`,
    ];
    const text = await new Promise<string>((resolve, reject) => {
      answer = { resolve, reject };
      socket.write(`POST /api/${path} HTTP/1.1\r\n${head.join('\r\n')}\r\n\r\n${body}`);
    });
    return JSON.parse(text);
  };
}
