import type { Readable, Writable } from 'node:stream';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import type { Caller } from '#core/model/audit.ts';
import type { App } from '#dispatch/dispatch.ts';
import type { LastResort } from '../last-resort.ts';
import type { McpContext } from './context.ts';
import type { Opening } from './first-answer.ts';
import { LineTransport } from './line-transport.ts';
import { createMcpServer } from './server.ts';

interface StdioConnection {
  input: Readable;
  output: Writable;
  /** Aborted by a signal to the process. */
  stop: AbortSignal;
  /** Reports a problem that belongs to no answer. */
  report(problem: string): void;
  /** Renews the claims of this caller if they are due. Like `markAway`, it is a write that is not an operation. Returns the time until they
   *  are due again, or undefined if the caller has none. */
  renew(caller: Caller): Promise<number | undefined>;
  /** Closes the connections to the store that are not in use. */
  releaseConnections(): Promise<void>;
  /** Marks this caller as away, after the client has disconnected. */
  markAway(caller: Caller): Promise<void>;
  renewEveryMs: number;
  opening?: Opening;
  lastResort?: Pick<LastResort, 'guard'>;
}

/** Serves one client until it disconnects or the process is stopped; running calls finish first. */
export async function serveClient(app: App, connection: StdioConnection): Promise<void> {
  const { input, output, stop, report, renew, releaseConnections, markAway, renewEveryMs, opening, lastResort } = connection;
  const transport = new LineTransport(input, output, opening);
  /** The callers, with the time at which their claims are due; undefined if they have none. */
  const callers = new Map<string, { caller: Caller; dueAtMs: number | undefined }>();
  const ignoreError = (caller: Caller, write: Promise<unknown>): Promise<unknown> =>
    write.catch((error: Error) => report(`claims of ${caller.agent}: ${error.message}`));
  const getNowMs = (): number => Date.parse(app.platform.now());
  /** A client that makes no calls needs no connection until a claim is due. */
  const renewDue = async (): Promise<void> => {
    const due = [...callers.values()].filter(({ dueAtMs }) => dueAtMs !== undefined && dueAtMs <= getNowMs());
    for (const entry of due)
      await ignoreError(
        entry.caller,
        renew(entry.caller).then((dueMs) => {
          entry.dueAtMs = dueMs === undefined ? undefined : getNowMs() + dueMs;
        }),
      );
    if (due.length > 0) await releaseConnections();
  };
  const timer = setInterval(() => void renewDue(), renewEveryMs);
  const context: McpContext = {
    app,
    ...(lastResort ? { guard: lastResort.guard } : {}),
    onAnswer(_, caller) {
      const key = `${caller?.session} ${caller?.agent}`;
      // Only writes know the process of their caller.
      if (caller) callers.set(key, { caller: { ...callers.get(key)?.caller, ...caller }, dueAtMs: 0 });
    },
  };
  const createModernServer = (): ReturnType<typeof createMcpServer> =>
    createMcpServer(context, 'connection', ({ setSubscriptions }) => {
      transport.onSubscriptions = setSubscriptions;
    });
  // Calls that wait for work would delay the end.
  const stopWaiting = async (): Promise<void> => (await app.getLogFeed()).close();
  input.once('close', () => void stopWaiting());
  input.once('end', () => void stopWaiting());
  // In older revisions a client subscribes on the connection; in newer ones the SDK filters by subscription.
  const handle = serveStdio(({ era }) => (era === 'legacy' ? createMcpServer(context, 'subscribers') : createModernServer()), {
    transport,
    onerror: (error) => report(error.message),
  });
  stop.addEventListener(
    'abort',
    () => {
      transport.end();
      void stopWaiting();
    },
    { once: true },
  );
  if (stop.aborted) transport.end();
  await transport.finished;
  clearInterval(timer);
  await handle.close();
  for (const { caller } of callers.values()) await ignoreError(caller, markAway(caller));
}
