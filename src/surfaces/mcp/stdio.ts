import type { Readable, Writable } from 'node:stream';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import type { Caller } from '#core/model/audit.ts';
import type { App } from '#dispatch/dispatch.ts';
import { LineTransport } from './line-transport.ts';
import { createMcpServer } from './server.ts';

export interface StdioConnection {
  input: Readable;
  output: Writable;
  /** Aborted when the process is asked to stop. */
  stop: AbortSignal;
  /** For what went wrong outside of any answer. */
  report(problem: string): void;
  /** Keeps the claims of this caller from lapsing; the one write that is no operation. */
  renew(caller: Caller): Promise<void>;
  renewEveryMs: number;
}

/** Serves one client until it leaves or the process is asked to stop; what runs is finished first. */
export async function serveClient(app: App, { input, output, stop, report, renew, renewEveryMs }: StdioConnection): Promise<void> {
  const transport = new LineTransport(input, output);
  const callers = new Map<string, Caller>();
  const answered = (session: string | undefined, agent = app.platform.caller.agent): void => {
    callers.set(`${session} ${agent}`, { agent, ...(session ? { session } : {}) });
  };
  const timer = setInterval(() => {
    for (const caller of callers.values()) renew(caller).catch((error: Error) => report(`claims of ${caller.agent}: ${error.message}`));
  }, renewEveryMs);
  const desk = {
    app,
    answered: ({ _meta }: { _meta: { sessionId?: string } }, agent: string | undefined) => answered(_meta.sessionId, agent),
  };
  // In the older revisions a client subscribes on the connection; since then the SDK holds the subscriptions before us.
  const handle = serveStdio(({ era }) => createMcpServer(desk, era === 'legacy' ? 'subscribers' : 'connection'), {
    transport,
    onerror: (error) => report(error.message),
  });
  stop.addEventListener('abort', () => transport.end(), { once: true });
  if (stop.aborted) transport.end();
  await transport.finished;
  clearInterval(timer);
  await handle.close();
}
