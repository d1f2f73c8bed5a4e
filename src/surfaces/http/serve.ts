import { CleoError } from '#core/errors/error.ts';
import { hasTokens } from '#dispatch/authenticate.ts';
import { requireProject } from '#dispatch/call-context.ts';
import type { App } from '#dispatch/dispatch.ts';
import { createHttpApp, type HttpAppOptions } from './app.ts';
import { isLoopback, splitList } from './host-names.ts';
import { type ListenOptions, listen } from './server.ts';

export interface ServeOptions extends Partial<ListenOptions>, Pick<HttpAppOptions, 'report'> {
  mcp?: (app: App) => ReturnType<NonNullable<HttpAppOptions['mcp']>> & { close(): Promise<void> };
  /** Aborted when the process is asked to stop. */
  stop: AbortSignal;
  /** How long what runs may take to finish then. */
  graceMs?: number;
  announce(where: { url: string; port: number }): void;
}

/** Serves until it is told to stop; then nobody new is taken, what runs finishes, and the store is closed. */
export async function serve(app: App, { stop, announce, mcp, report, graceMs = 10_000, ...listening }: ServeOptions): Promise<void> {
  const { platform } = app;
  const config = platform.config.load(requireProject(platform));
  const { host = '127.0.0.1', port = config['serve.port'] } = listening;
  const bound = host.toLowerCase();
  if (port > 65_535)
    throw new CleoError('E_CONFIG_ERROR', { path: 'serve.port', problem: 'must be at most 65535', fix: 'cleo config unset serve.port' });
  // Also where no token is needed: a store that cannot be read is told now rather than to each caller.
  const isGuarded = await hasTokens(app);
  if (!isGuarded && (!isLoopback(bound) || config['serve.requireToken']))
    throw new CleoError('E_CONFIG_ERROR', {
      path: 'serve',
      problem: `callers of ${host} need a token, and there is none`,
      fix: 'cleo token create --name client --scope query',
    });
  let endpoint: ReturnType<NonNullable<typeof mcp>> | undefined;
  const routes = createHttpApp(app, {
    bound,
    hosts: splitList(config['serve.hosts']),
    origins: splitList(config['serve.origins']),
    requireToken: config['serve.requireToken'],
    callsPerMinute: config['serve.callsPerMinute'],
    ...(report ? { report } : {}),
    ...(mcp
      ? {
          mcp: (watched: App) => {
            endpoint = mcp(watched);
            return endpoint;
          },
        }
      : {}),
  });
  const server = await listen(routes, { ...listening, host, port });
  announce(server);
  if (!stop.aborted) await new Promise<void>((resolve) => stop.addEventListener('abort', () => resolve(), { once: true }));
  // Streams that wait for changes would last as long as they may.
  const streams = endpoint?.close();
  await server.stop(graceMs);
  await streams;
  // What has not finished by now waits for a lock that it may not get for long; nobody is there to be answered.
  await Promise.race([app.closeStores(), new Promise((resolve) => setTimeout(resolve, 1000).unref())]);
}
