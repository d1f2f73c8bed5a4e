import { setTimeout as sleep } from 'node:timers/promises';
import { readServerEvents } from '#core/model/server-events.ts';
import { isPlainObject } from '#lib/collections.ts';
import { parseJson } from '#lib/parse-json.ts';
import type { App } from '../call-context.ts';
import type { LogEvent, LogFeed, LogListener } from '../feed/log-feed.ts';
import { locateServer } from './locate-server.ts';
import { connectTo, createClientHeaders } from './send-call.ts';

/** A server that restarts is asked again after this time, and less often the longer it is away. */
const minRetryMs = 250;
const maxRetryMs = 5000;
/** The server sends a comment every 15 seconds. */
const maxSilenceMs = 45_000;

/** Follows the log of the server in front of the store, by its stream of events and only while there is a listener. After a lost connection it
 *  continues with the entry after the last one that it has seen. */
export function createServerFeed(app: App): LogFeed {
  const listeners = new Set<LogListener>();
  let seq: number | undefined;
  let following: AbortController | undefined;
  let isClosed = false;

  const report = (event: string, data: Record<string, unknown>): void => {
    const position = Number(data.seq);
    if (event === 'hello') {
      if (seq !== undefined) return;
      seq = position;
      for (const listener of [...listeners]) listener.onChange([]);
    } else if (event === 'change' || event === 'call') {
      seq = position;
      for (const listener of [...listeners]) listener.onChange([{ ...data, isChange: event === 'change' } as LogEvent]);
    } else if (event === 'reset') {
      seq = position;
      for (const listener of [...listeners]) listener.onReset(position);
    }
  };
  const readStream = async (signal: AbortSignal): Promise<void> => {
    const server = await locateServer(app.platform);
    const connection = await connectTo(app.platform, server.url);
    let text = '';
    await connection.follow(`/api/events${seq === undefined ? '' : `?after=${seq}`}`, {
      headers: createClientHeaders(app.platform, server),
      connectTimeoutMs: maxRetryMs,
      timeoutMs: maxSilenceMs,
      signal,
      onText(part) {
        const { events, rest } = readServerEvents(text + part);
        text = rest;
        for (const { event, data } of events) {
          const fields = parseJson(data);
          if (isPlainObject(fields)) report(event, fields);
        }
      },
    });
  };
  const run = async ({ signal }: AbortController): Promise<void> => {
    let retryMs = minRetryMs;
    while (!signal.aborted) {
      const before = seq;
      // What the server rejects is reported by the next read of the listener.
      await readStream(signal).catch(() => {});
      if (signal.aborted) return;
      for (const listener of [...listeners]) listener.onError?.();
      retryMs = seq === before ? Math.min(2 * retryMs, maxRetryMs) : minRetryMs;
      await sleep(retryMs, undefined, { ref: false });
    }
  };
  const stop = (): void => {
    following?.abort();
    following = undefined;
    // The next reader begins with the end of the log at its time.
    seq = undefined;
  };
  return {
    subscribe(listener) {
      if (isClosed) {
        setImmediate(() => listener.onClose?.());
        return () => {};
      }
      listeners.add(listener);
      if (!following) {
        following = new AbortController();
        void run(following);
      } else if (seq !== undefined) setImmediate(() => listeners.has(listener) && listener.onChange([]));
      return () => {
        if (listeners.delete(listener) && listeners.size === 0) stop();
      };
    },
    // The server reports the writes of this process too.
    wake: () => {},
    close() {
      isClosed = true;
      const all = [...listeners];
      listeners.clear();
      stop();
      for (const listener of all) listener.onClose?.();
    },
  };
}
