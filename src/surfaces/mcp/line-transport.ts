import type { Readable, Writable } from 'node:stream';
import {
  INTERNAL_ERROR,
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
import type { Opening } from './first-answer.ts';

/** Longer lines are answered with an error. */
const maxLineBytes = 4 * 1024 * 1024;
/** The id of a longer line is looked for in its beginning. */
const beginningBytes = 4096;
/** The time that running calls have after the end of the input, and that the client has to read their answers. */
const timeoutsMs = { running: 10_000, unread: 1000 };

/** A transport over standard input and output with one message per line. The transport of the SDK hangs on long lines, does not answer
 *  invalid messages, and drops running calls at the end of the input; this one answers them and lets running calls finish. */
export class LineTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  /** Called with the number of open `subscriptions/listen` requests when it changes. */
  onSubscriptions?: (count: number) => void;
  onmessage?: <T extends JSONRPCMessage>(message: T, extra?: MessageExtraInfo) => void;
  /** Resolves when the input has ended or the output is gone, and no call is running. */
  readonly finished: Promise<void>;

  readonly #input: Readable;
  readonly #output: Writable;
  readonly #running = new Set<RequestId>();
  readonly #subscriptions = new Set<RequestId>();
  #unread = 0;
  #chunks: Buffer[] = [];
  #length = 0;
  #isTooLong = false;
  /** The beginning of a line that is too long. */
  #beginning = '';
  #isEnding = false;
  #isClosed = false;
  #finish!: () => void;

  readonly #opening: Opening;
  #answered: RequestId | undefined;

  constructor(input: Readable, output: Writable, opening: Opening = {}) {
    this.#opening = opening;
    this.#answered = opening.answered;
    this.#input = input;
    this.#output = output;
    this.finished = new Promise((resolve) => {
      this.#finish = resolve;
    });
  }

  async start(): Promise<void> {
    this.#output.on('error', () => this.#abandon());
    if (this.#opening.bytes) this.#read(this.#opening.bytes);
    this.#input.on('data', this.#read);
    this.#input.on('end', () => this.end());
    this.#input.on('error', () => this.end());
    this.#input.on('close', () => this.end());
    // The input may have ended while the SDK was loaded, and is paused after the first bytes.
    if (this.#input.destroyed || this.#input.readableEnded) this.end();
    else this.#input.resume();
  }

  /** Stops reading; running calls may finish. */
  end(): void {
    if (this.#isEnding) return;
    this.#isEnding = true;
    this.#input.off('data', this.#read);
    this.#input.pause();
    setTimeout(() => this.#finish(), timeoutsMs.running).unref();
    this.#settle();
  }

  async send(message: JSONRPCMessage): Promise<void> {
    if ('id' in message && !('method' in message) && message.id !== undefined) {
      this.#running.delete(message.id);
      this.#subscriptions.delete(message.id);
      if (message.id === this.#answered) {
        this.#answered = undefined;
        this.#settle();
        return;
      }
    }
    await this.#write(serializeMessage(message));
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#abandon();
    this.onclose?.();
  }

  /** Stops without waiting for running calls, because the client is gone. */
  #abandon(): void {
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
      const isFlushed = this.#output.write(text, () => {
        this.#unread--;
        this.#settle();
        resolve();
      });
      // Reading pauses until the client has read the answers.
      if (!isFlushed && !this.#input.isPaused()) {
        this.#input.pause();
        this.#output.once('drain', () => !this.#isEnding && this.#input.resume());
      }
    });
  }

  readonly #read = (chunk: Buffer): void => {
    let from = 0;
    for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, from)) {
      this.#append(chunk.subarray(from, at));
      this.#endLine();
      from = at + 1;
    }
    this.#append(chunk.subarray(from));
  };

  #append(part: Buffer): void {
    this.#length += part.length;
    if (this.#length > maxLineBytes) {
      if (!this.#isTooLong) this.#beginning = Buffer.concat([...this.#chunks, part]).toString('utf8', 0, beginningBytes);
      this.#isTooLong = true;
      this.#chunks = [];
    } else if (part.length > 0) this.#chunks.push(part);
  }

  #endLine(): void {
    const [bytes, isTooLong] = [this.#chunks.length === 1 ? this.#chunks[0]! : Buffer.concat(this.#chunks), this.#isTooLong];
    this.#chunks = [];
    this.#length = 0;
    this.#isTooLong = false;
    if (isTooLong) this.#reject(INVALID_REQUEST, `A message may have at most ${maxLineBytes} bytes`, { id: findId(this.#beginning) });
    else if (bytes.length > 0) this.#receive(bytes.toString('utf8'));
  }

  #receive(text: string): void {
    if (text.trim() === '') return;
    const value = parseJson(text);
    if (value === undefined) {
      this.#reject(PARSE_ERROR, 'The line is not JSON');
      return;
    }
    let message: JSONRPCMessage;
    try {
      message = parseJSONRPCMessage(value);
    } catch {
      this.#reject(INVALID_REQUEST, 'The line is not a JSON-RPC 2.0 message', value);
      return;
    }
    if ('method' in message && 'id' in message) {
      const isSubscription = message.method === 'subscriptions/listen';
      (isSubscription ? this.#subscriptions : this.#running).add(message.id);
    }
    if ('method' in message && message.method === 'notifications/cancelled') {
      const { requestId = '' } = (message.params as { requestId?: RequestId } | undefined) ?? {};
      this.#running.delete(requestId);
      this.#subscriptions.delete(requestId);
    }
    this.#deliver(message);
    this.onSubscriptions?.(this.#subscriptions.size);
  }

  /** Hands a message to the SDK. A request is answered even if the SDK throws. */
  #deliver(message: JSONRPCMessage): void {
    try {
      this.onmessage?.(message);
    } catch (error) {
      this.onerror?.(error as Error);
      if ('method' in message && 'id' in message && this.#running.delete(message.id))
        this.#reject(INTERNAL_ERROR, 'The request could not be answered', message);
    }
  }

  #reject(code: number, message: string, given?: unknown): void {
    const id = (given as { id?: unknown } | null | undefined)?.id;
    const known = typeof id === 'string' || typeof id === 'number' ? id : null;
    void this.#write(`${JSON.stringify({ jsonrpc: '2.0', id: known, error: { code, message } })}\n`);
  }
}

/** Finds the id of a request in the beginning of its line. Only a key of the message itself counts, not one inside its parameters. */
export function findId(beginning: string): string | number | undefined {
  let depth = 0;
  for (const [token] of beginning.matchAll(/"(?:[^"\\]|\\.)*"(?:\s*:\s*(?:"(?:[^"\\]|\\.)*"(?=\s*[,}])|-?\d+(?=\s*[,}])))?|[{}[\]]/gs)) {
    if (token === '{' || token === '[') depth++;
    else if (token === '}' || token === ']') depth--;
    else if (depth === 1) {
      const id = /^"id"\s*:\s*(.+)$/s.exec(token)?.[1];
      if (id !== undefined) return parseJson(id) as string | number;
    }
  }
  return undefined;
}
