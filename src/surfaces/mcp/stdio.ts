import type { Readable, Writable } from 'node:stream';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import type { Caller } from '#core/model/audit.ts';
import type { App } from '#dispatch/dispatch.ts';
import type { LastResort } from '../last-resort.ts';
import type { McpContext } from './context.ts';
import { LineTransport } from './line-transport.ts';
import { createMcpServer } from './server.ts';

export interface StdioConnection {
  input: Readable;
  output: Writable;
  /** Aborted by a signal to the process. */
  stop: AbortSignal;
  /** Reports a problem that belongs to no answer. */
  report(problem: string): void;
  /** Renews the claims of this caller. Like `markAway`, it is a write that is not an operation. */
  renew(caller: Caller): Promise<void>;
  /** Marks this caller as away, after the client has disconnected. */
  markAway(caller: Caller): Promise<void>;
  renewEveryMs: number;
  lastResort?: Pick<LastResort, 'guard'>;
}

/** Serves one client until it disconnects or the process is stopped; running calls finish first. */
export async function serveClient(app: App, connection: StdioConnection): Promise<void> {
  const { input, output, stop, report, renew, markAway, renewEveryMs, lastResort } = connection;
  const transport = new LineTransport(input, output);
  const callers = new Map<string, Caller>();
  const forEachCaller = async (write: (caller: Caller) => Promise<void>): Promise<void> => {
    for (const caller of callers.values())
      await write(caller).catch((error: Error) => report(`claims of ${caller.agent}: ${error.message}`));
  };
  const timer = setInterval(() => void forEachCaller(renew), renewEveryMs);
  const context: McpContext = {
    app,
    ...(lastResort ? { guard: lastResort.guard } : {}),
    onAnswer(_, caller) {
      const key = `${caller?.session} ${caller?.agent}`;
      // Only writes know the process of their caller.
      if (caller) callers.set(key, { ...callers.get(key), ...caller });
    },
  };
  // In older revisions a client subscribes on the connection; in newer ones the SDK filters by subscription.
  const handle = serveStdio(({ era }) => createMcpServer(context, era === 'legacy' ? 'subscribers' : 'connection'), {
    transport,
    onerror: (error) => report(error.message),
  });
  stop.addEventListener('abort', () => transport.end(), { once: true });
  if (stop.aborted) transport.end();
  await transport.finished;
  clearInterval(timer);
  await handle.close();
  await forEachCaller(markAway);
}
