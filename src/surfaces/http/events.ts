import '#admin/errors.ts';
import { CleoError } from '#core/errors/error.ts';
import type { App } from '#dispatch/dispatch.ts';
import type { LogEvent, StoredLogFeed } from '#dispatch/feed/log-feed.ts';

interface EventRequest {
  /** The number of the last entry that the reader has seen; undefined begins with the next one. */
  after: number | undefined;
  /** The first message, which says who the reader is. */
  hello: object;
  /** Throws if the caller may no longer read, so that a revoked token ends its stream. */
  checkAccess(): Promise<void>;
}

export interface EventStreamOptions {
  /** The time between two comments, which also check the access of the reader. */
  beatMs?: number;
  /** A reader that has read nothing for this time is disconnected. */
  maxStallMs?: number;
  /** Written to a stream before its reader has read anything. */
  maxBufferedBytes?: number;
}

export interface EventStreams {
  open(request: EventRequest): Promise<Response>;
  /** Ends all streams. */
  close(): void;
}

interface Reader {
  /** Sends a comment, so that proxies keep the connection, or ends a stream that is not read. */
  beat(): Promise<void>;
  end(): void;
}

const maxReaders = 256;
const maxBatch = 200;

/** Creates the streams of `GET /api/events`: one message for each new entry of the log. Each reader has its own position in the log, so a
 *  slow one delays no other and takes no memory. */
export function createEventStreams(
  app: App,
  feed: StoredLogFeed,
  { beatMs = 15_000, maxStallMs = 30_000, maxBufferedBytes = 64 * 1024 }: EventStreamOptions = {},
): EventStreams {
  const readers = new Set<Reader>();
  let timer: NodeJS.Timeout | undefined;
  const beat = (): void => {
    for (const reader of [...readers]) void reader.beat();
  };
  const encoder = new TextEncoder();
  const format = (event: string, data: object, id?: number): Uint8Array =>
    encoder.encode(`${id === undefined ? '' : `id: ${id}\n`}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);

  const openStream = (request: EventRequest, position: number, isBeyond: boolean, head: number): ReadableStream<Uint8Array> => {
    let seq = position;
    let isEnded = false;
    let isSending = false;
    let isWanted = false;
    let stalledAtMs: number | undefined;
    let unsubscribe = (): void => {};
    let controller: ReadableStreamDefaultController<Uint8Array>;
    const hasRoom = (): boolean => (controller.desiredSize ?? 0) > 0;
    const leave = (): void => {
      isEnded = true;
      readers.delete(reader);
      unsubscribe();
      if (readers.size === 0) clearInterval(timer);
    };
    const end = (last?: Uint8Array): void => {
      if (isEnded) return;
      leave();
      if (last) controller.enqueue(last);
      controller.close();
    };
    const mayRead = async (): Promise<boolean> => {
      try {
        await request.checkAccess();
        return !isEnded;
      } catch (error) {
        const { code, message } = error instanceof CleoError ? error : { code: 'E_GENERAL_ERROR', message: 'The stream ended' };
        end(format('denied', { code, message }));
        return false;
      }
    };
    const sendNext = async (): Promise<boolean> => {
      if (isEnded || !hasRoom()) return false;
      const events = await feed.readAfter(seq, maxBatch);
      if (events.length === 0 || !(await mayRead())) return false;
      for (const event of events) controller.enqueue(format(event.isChange ? 'change' : 'call', toMessage(event), event.seq));
      seq = events.at(-1)!.seq;
      return true;
    };
    const send = async (): Promise<void> => {
      isWanted = true;
      if (isSending) return;
      isSending = true;
      try {
        while (isWanted) {
          isWanted = false;
          while (await sendNext());
        }
        if (!isEnded) stalledAtMs = hasRoom() ? undefined : (stalledAtMs ?? app.platform.monotonicMs());
      } catch {
        // The store could not be read; the next change or beat tries again.
      } finally {
        isSending = false;
      }
    };
    const reader: Reader = {
      async beat() {
        const isStalled = stalledAtMs !== undefined && app.platform.monotonicMs() - stalledAtMs >= maxStallMs;
        // The reader connects again and continues after the last message that it has read.
        if (isStalled) return end(format('resume', { after: seq }));
        if (!(await mayRead())) return;
        if (hasRoom()) controller.enqueue(encoder.encode(':\n\n'));
        await send();
      },
      end: () => end(),
    };
    return new ReadableStream<Uint8Array>(
      {
        start(created) {
          controller = created;
          controller.enqueue(format('hello', { seq: head, ...request.hello }));
          if (isBeyond) controller.enqueue(format('reset', { seq: head }, head));
          readers.add(reader);
          if (readers.size === 1) timer = setInterval(beat, beatMs).unref();
          unsubscribe = feed.subscribe({
            onChange: () => void send(),
            onReset(last) {
              seq = last;
              if (!isEnded) controller.enqueue(format('reset', { seq: last }, last));
            },
          });
          void send();
        },
        pull: () => void send(),
        cancel: leave,
      },
      new ByteLengthQueuingStrategy({ highWaterMark: maxBufferedBytes }),
    );
  };
  return {
    async open(request) {
      if (readers.size >= maxReaders) throw new CleoError('E_TOO_MANY_REQUESTS', { retryAfterSeconds: 5 });
      const head = await feed.readHead();
      const { after = head } = request;
      // A number from another log: what the reader has seen is not what this log says.
      const isBeyond = after > head;
      return new Response(openStream(request, Math.min(after, head), isBeyond, head), {
        headers: { 'content-type': 'text/event-stream', 'x-accel-buffering': 'no' },
      });
    },
    close() {
      feed.close();
      for (const reader of [...readers]) reader.end();
    },
  };
}

const toMessage = ({ isChange, ...event }: LogEvent): object => (isChange ? event : { ...event, success: event.errorCode === undefined });
