import { type Call, dispatch } from '../src/dispatch/dispatch.ts';
import { createApp } from '../src/main.ts';
import { createPlatform } from '../src/platform/platform.ts';
import type { Platform } from '../src/platform/port.ts';
import { openApp } from './app.ts';
import { trustOnUse } from './trust-on-use.ts';

/** A project with the surfaces of clients. The process table is that of the test: each surface is told its client process. */
export async function openClients(tasks: string[] = ['T001', 'T002', 'T003'], config = {}) {
  const app = await openApp({ tasks, config });
  const { CLEO_AGENT_ID: _, ...env } = app.env;
  const gone = new Set<string>();
  /** Processes of other hosts. */
  const hidden = new Set<string>();
  const surface = (variables: Record<string, string>, process?: { client: string; pid: number }, isSticky = false) => {
    const found = process && { ...process, startTime: '42', key: `here/${process.pid}/42` };
    const created = createPlatform({ ...env, LOGNAME: 'sam', ...variables }, app.root, '0.0.0-test');
    const platform: Platform = {
      ...created,
      loadTrust: async () => trustOnUse(await created.loadTrust()),
      loadProcesses: async () => ({
        ...(await created.loadProcesses()),
        findClientProcess: () => found,
        isProcessRunning: (key) => (hidden.has(key) ? undefined : !gone.has(key)),
      }),
    };
    const own = { ...createApp(platform, { isSticky }), openStore: async () => app.store };
    return async (operation: string, params: Record<string, unknown> = {}, more: Partial<Call> = {}) => {
      const { caller, envelope, exitCode } = await dispatch(own, { operation, params, gateway: 'cli', ...more });
      return { agent: caller?.agent, process: caller?.process, exitCode, envelope };
    };
  };
  return { app, surface, gone, hidden };
}
