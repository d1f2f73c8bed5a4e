import type { Readable, Writable } from 'node:stream';
import {
  INVALID_REQUEST,
  type JSONRPCMessage,
  type MessageExtraInfo,
  PARSE_ERROR,
  parseJSONRPCMessage,
  type RequestId,
  serializeMessage,
  type Transport,
} from '@modelcontextprotocol/server';
import { parseJson } from '#lib/parse-json.ts';

/** Longer lines are answered with an error, not read. */
export const maxLineBytes = 4 * 1024 * 1024;
/** How long calls that run may go on after the client has said its last word, and how long it may take to read the answers. */
const timeoutsMs = { running: 10_000, unread: 1000 };

/** Standard input and output, a message a line. The SDK's own goes silent on long lines, answers nothing to what is no
 *  message, and drops what runs when the input ends; this one answers, lives on, and lets what runs finish. */
export class LineTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: <T extends JSONRPCMessage>(message: T, extra?: MessageExtraInfo) => void;
  /** Settled when the last word is said: the input has ended or the output is gone, and nothing runs any more. */
  readonly finished: Promise<void>;

  readonly #input: Readable;
  readonly #output: Writable;
  readonly #running = new Set<RequestId>();
  #unread = 0;
  #chunks: Buffer[] = [];
  #length = 0;
  #isTooLong = false;
  #isEnding = false;
  #isClosed = false;
  #finish!: () => void;

  constructor(input: Readable, output: Writable) {
    this.#input = input;
    this.#output = output;
    this.finished = new Promise((resolve) => {
      this.#finish = resolve;
    });
  }

  async start(): Promise<void> {
    this.#output.on('error', () => this.#gone());
    this.#input.on('data', this.#read);
    this.#input.on('end', () => this.end());
    this.#input.on('error', () => this.end());
    this.#input.on('close', () => this.end());
  }

  /** Nothing more is read; what runs may finish. */
  end(): void {
    if (this.#isEnding) return;
    this.#isEnding = true;
    this.#input.off('data', this.#read);
    this.#input.pause();
    setTimeout(() => this.#finish(), timeoutsMs.running).unref();
    this.#settle();
  }

  async send(message: JSONRPCMessage): Promise<void> {
    if ('id' in message && !('method' in message) && message.id !== undefined) this.#running.delete(message.id);
    await this.#write(serializeMessage(message));
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#gone();
    this.onclose?.();
  }

  /** The client has vanished: nobody waits for what runs. */
  #gone(): void {
    this.#running.clear();
    this.end();
  }

  #settle(): void {
    if (!this.#isEnding || this.#running.size > 0) return;
    if (this.#unread === 0) this.#finish();
    else setTimeout(() => this.#finish(), timeoutsMs.unread).unref();
  }

  #write(text: string): Promise<void> {
    if (this.#isClosed || this.#output.destroyed) return Promise.resolve();
    this.#unread++;
    return new Promise((resolve) => {
      const isTaken = this.#output.write(text, () => {
        this.#unread--;
        this.#settle();
        resolve();
      });
      // Who does not read the answers is not asked for more.
      if (!isTaken && !this.#input.isPaused()) {
        this.#input.pause();
        this.#output.once('drain', () => !this.#isEnding && this.#input.resume());
      }
    });
  }

  readonly #read = (chunk: Buffer): void => {
    let from = 0;
    for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, from)) {
      this.#keep(chunk.subarray(from, at));
      this.#line();
      from = at + 1;
    }
    this.#keep(chunk.subarray(from));
  };

  #keep(part: Buffer): void {
    this.#length += part.length;
    if (this.#length > maxLineBytes) {
      this.#isTooLong = true;
      this.#chunks = [];
    } else if (part.length > 0) this.#chunks.push(part);
  }

  #line(): void {
    const [bytes, isTooLong] = [this.#chunks.length === 1 ? this.#chunks[0]! : Buffer.concat(this.#chunks), this.#isTooLong];
    this.#chunks = [];
    this.#length = 0;
    this.#isTooLong = false;
    if (isTooLong) this.#refuse(INVALID_REQUEST, `A message may have at most ${maxLineBytes} bytes`);
    else if (bytes.length > 0) this.#take(bytes.toString('utf8'));
  }

  #take(text: string): void {
    if (text.trim() === '') return;
    const value = parseJson(text);
    if (value === undefined) {
      this.#refuse(PARSE_ERROR, 'The line is not JSON');
      return;
    }
    let message: JSONRPCMessage;
    try {
      message = parseJSONRPCMessage(value);
    } catch {
      this.#refuse(INVALID_REQUEST, 'The line is not a JSON-RPC 2.0 message', value);
      return;
    }
    if ('method' in message && 'id' in message && message.method !== 'subscriptions/listen') this.#running.add(message.id);
    if ('method' in message && message.method === 'notifications/cancelled')
      this.#running.delete((message.params as { requestId: RequestId }).requestId);
    this.onmessage?.(message);
  }

  #refuse(code: number, message: string, given?: unknown): void {
    const id = (given as { id?: unknown } | null | undefined)?.id;
    const known = typeof id === 'string' || typeof id === 'number' ? id : null;
    void this.#write(`${JSON.stringify({ jsonrpc: '2.0', id: known, error: { code, message } })}\n`);
  }
}
