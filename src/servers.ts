import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Globals } from './core/command-line.ts';
import type { App } from './dispatch/call-context.ts';
import { defined } from './lib/collections.ts';
import { createApp, writeAll } from './main.ts';
import { createPlatform } from './platform/platform.ts';
import type { Platform } from './platform/port.ts';
import { print, type Terminal } from './surfaces/cli/run.ts';
import type { LastResort } from './surfaces/last-resort.ts';
import { version } from './version.ts';

/** Starts the long-running commands. They are wired here and not in main, because no other command needs this code. */
export const startServerProcess: Terminal['start'] = async (command, params, globals, terminal) => {
  const run = { mcp: serveMcp, serve: serveHttp, watch: watchBoard, 'list-watch': watchList }[command];
  if (!run) throw new Error(`unknown process ${command}`);
  return run(globals, params, terminal);
};

async function serveMcp({ agent, session }: Globals): Promise<number> {
  // The SDK checks messages with zod, which would compile a function for each kind of message: a tenth of the time to the first answer.
  Object.assign(globalThis, { __zod_globalConfig: { jitless: true } });
  const { serveClient } = await import('./surfaces/mcp/stdio.ts');
  const { env } = process;
  const isDebugging = env.CLEO_DEBUG === '1';
  const own = { ...(agent ? { CLEO_AGENT_ID: agent } : {}), ...(session ? { CLEO_SESSION_ID: session } : {}) };
  const app = createApp(createPlatform({ ...env, ...own }, process.cwd(), version), { isSticky: true, isServer: true });
  // Standard output carries the protocol and nothing else.
  console.log = console.info = console.debug = console.error;
  const stop = createStop();
  const lastResort = await catchEscaped('mcp', stop);
  await serveClient(app, {
    input: process.stdin,
    output: process.stdout,
    stop: stop.signal,
    lastResort,
    report: (problem) => isDebugging && console.error(`cleo mcp: ${problem}`),
    renew: async (caller) => (await import('./dispatch/lease.ts')).renewLease(app, caller),
    releaseConnections: async () => (await app.openStore('read')).releaseConnections?.(),
    markAway: async (caller) => (await import('./dispatch/lease.ts')).markAway(app, caller),
    renewEveryMs: 20_000,
  });
  await app.closeStores();
  return lastResort.hasGivenUp() ? 1 : 0;
}

interface ServeParams {
  host?: string;
  port?: number;
  open?: boolean;
}

async function serveHttp({ json, human }: Globals, { host, port, open }: ServeParams): Promise<number> {
  const { serve } = await import('./surfaces/http/serve.ts');
  const { formatAnnouncement } = await import('./surfaces/http/announcement.ts');
  const { createMcpEndpoint } = await import('./surfaces/mcp/http.ts');
  const { env, stdout } = process;
  const platform = createPlatform(env, process.cwd(), version);
  // A server has many callers, so the agent and session of its environment apply to none of them.
  const shared: Platform = {
    ...platform,
    caller: { agent: 'http' },
    identity: { kind: 'shared', agent: 'http' },
    grade: { isEnabled: false, id: undefined },
  };
  const isForPeople = human || (!json && stdout.isTTY && env.CLEO_FORMAT !== 'json');
  // The build has one folder for all its files.
  const webFolder = join(dirname(import.meta.filename), 'web');
  const hasPage = existsSync(join(webFolder, 'index.html'));
  const stop = createStop();
  const lastResort = await catchEscaped('serve', stop);
  await serve(createApp(shared, { isServer: true }), {
    ...defined({ host, port, flags: open ? ['--open'] : undefined }),
    mcp: createMcpEndpoint,
    stop: stop.signal,
    lastResort,
    report: (error) => env.CLEO_DEBUG === '1' && console.error(error),
    warn: (problem) => process.stderr.write(`cleo serve: ${problem}\n`),
    webFolder,
    starter: { agent: platform.caller.agent, isPerson: platform.identity.kind === 'person' },
    announce: ({ url, port: taken, page }) => {
      stdout.write(
        isForPeople
          ? formatAnnouncement({ url, page, hasPage })
          : `${JSON.stringify({
              _meta: { command: 'serve', timestamp: platform.now(), version, resultsField: 'listening' },
              success: true,
              listening: { url, port: taken, api: `${url}/api`, mcp: `${url}/mcp`, page, pid: process.pid },
            })}\n`,
      );
      if (open && hasPage) void openPage(page);
    },
  });
  return lastResort.hasGivenUp() ? 1 : 0;
}

/** Opens the web page. The server runs without a browser too, so a failure is only reported. */
async function openPage(page: string): Promise<void> {
  const { openBrowser } = await import('./platform/open-browser.ts');
  const problem = await openBrowser(page);
  if (problem) process.stderr.write(`cleo serve: no browser was opened: ${problem}. Open the address of the web page yourself.\n`);
}

async function watchBoard(globals: Globals, { epic }: { epic?: string }, terminal: Terminal): Promise<number> {
  const app = createObserver();
  if (isLive(globals, terminal)) return watchLive(app, terminal, epic ? { epic } : {});
  const { follow } = await import('./surfaces/cli/watch/follow.ts');
  const isJson = globals.json || (!globals.human && (terminal.format === 'json' || !terminal.isTerminal));
  return follow(app, { isJson, write: (text) => writeAll(1, text, true), ...(epic ? { epic } : {}) });
}

async function watchList(globals: Globals, listParams: Record<string, unknown>, terminal: Terminal): Promise<number> {
  const app = createObserver();
  if (isLive(globals, terminal) && !globals.quiet && !globals.fields) return watchLive(app, terminal, { listParams });
  const { repeat } = await import('./surfaces/cli/watch/follow.ts');
  const streaming = { ...terminal, write: (text: string) => writeAll(1, text, true) };
  return repeat(app, { operation: 'tasks.list', params: listParams }, (reply) => print(app, reply, globals, streaming));
}

/** Creates an app that only reads and ignores the session of the environment. */
const createObserver = (): App => createApp(createPlatform(process.env, process.cwd(), version), { isServer: true, isObserver: true });

/** Checks whether to draw a live view: on a terminal, unless JSON is requested. */
const isLive = ({ json, human }: Globals, { isTerminal, format }: Terminal): boolean =>
  isTerminal && !json && (human || format !== 'json') && process.env.TERM !== 'dumb';

async function watchLive(
  app: App,
  { hasColour }: Terminal,
  what: { epic?: string; listParams?: Record<string, unknown> },
): Promise<number> {
  const { showLiveBoard } = await import('./surfaces/cli/watch/live-board.ts');
  const { stdin, stdout } = process;
  const exitCode = await showLiveBoard(app, {
    ...what,
    hasColour,
    stop: createStop().signal,
    tty: {
      ...(stdin.isTTY ? { input: stdin } : {}),
      output: stdout,
      write: (text) => writeAll(1, text, true),
      onExit: (restore) => process.on('exit', restore),
    },
    suspend: () =>
      new Promise((resolve) => {
        process.once('SIGCONT', () => resolve());
        process.kill(process.pid, 'SIGTSTP');
      }),
  });
  await app.closeStores();
  return exitCode;
}

/** Keeps a server running after an exception that nothing has caught: it is logged, and its request is answered. */
async function catchEscaped(command: string, stop: AbortController): Promise<LastResort> {
  const { createLastResort } = await import('./surfaces/last-resort.ts');
  const isDebugging = process.env.CLEO_DEBUG === '1';
  const report = (error: unknown): void => {
    const text = error instanceof Error ? (isDebugging && error.stack) || error.message : String(error);
    process.stderr.write(`cleo ${command}: unexpected error: ${text}\n`);
  };
  const lastResort = createLastResort(report, () => stop.abort());
  process.removeAllListeners('uncaughtException');
  // Node raises an unhandled rejection as an exception too.
  process.on('uncaughtException', (error) => lastResort.handle(error, performance.now()));
  // A client that reads no errors must not end the server.
  process.stderr.on('error', () => {});
  return lastResort;
}

/** Creates a controller that is aborted when the process is asked to stop. */
function createStop(): AbortController {
  const stop = new AbortController();
  const signals = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;
  const first = (): void => {
    // The second signal ends the process at once.
    for (const signal of signals) process.off(signal, first);
    stop.abort();
  };
  for (const signal of signals) process.on(signal, first);
  return stop;
}
