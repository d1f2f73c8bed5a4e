import { buildHouse } from './main.ts';
import type { Globals } from './operations/global-flags.ts';
import { platformOf } from './platform/platform.ts';
import type { Terminal } from './surfaces/cli/run.ts';
import { version } from './version.ts';

/** The commands that are processes. They are built here rather than in main, because no other command needs any of it. */
export const start: Terminal['start'] = async (command, _params, globals) => {
  const run = { mcp: serveMcp }[command];
  if (!run) throw new Error(`nothing runs ${command}`);
  return run(globals);
};

async function serveMcp({ agent, session }: Globals): Promise<number> {
  const { serveClient } = await import('./surfaces/mcp/stdio.ts');
  const { env } = process;
  const isDebugging = env.CLEO_DEBUG === '1';
  // Two clients are never one agent, even where one environment started both.
  const own = { CLEO_AGENT_ID: agent || env.CLEO_AGENT_ID || ownId(), ...(session ? { CLEO_SESSION_ID: session } : {}) };
  const house = buildHouse(platformOf({ ...env, ...own }, process.cwd(), version), { keepsSession: true, serves: true });
  // Standard output carries the protocol and nothing else.
  console.log = console.info = console.debug = console.error;
  await serveClient(house, {
    input: process.stdin,
    output: process.stdout,
    stop: stopSignal(),
    report: (problem) => isDebugging && console.error(`cleo mcp: ${problem}`),
    renew: async (caller) => (await import('./dispatch/lease.ts')).renewLease(house, caller),
    renewEveryMs: 20_000,
  });
  await house.closeStores();
  return 0;
}

const ownId = (): string =>
  `mcp-${Math.floor(Math.random() * 2 ** 32)
    .toString(16)
    .padStart(8, '0')}`;

/** Aborted when the process is asked to stop. */
function stopSignal(): AbortSignal {
  const stop = new AbortController();
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => stop.abort());
  return stop.signal;
}
