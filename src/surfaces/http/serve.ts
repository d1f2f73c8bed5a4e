import { resolve } from 'node:path';
import { CleoError } from '#core/errors/error.ts';
import { hasTokens } from '#dispatch/authenticate.ts';
import { requireProject } from '#dispatch/call-context.ts';
import type { App } from '#dispatch/dispatch.ts';
import { createRevocationRecorder } from '#dispatch/record-revocations.ts';
import { startSigning } from '#dispatch/sign-log.ts';
import { defined } from '#lib/collections.ts';
import type { PageAccess } from './access-control.ts';
import { createHttpApp, type HttpAppOptions } from './app.ts';
import { chooseCertificate } from './certificate.ts';
import type { EventStreams } from './events.ts';
import { isLoopback, splitList } from './host-names.ts';
import { type ListenOptions, listen } from './server.ts';

export interface ServeOptions extends Partial<ListenOptions>, Pick<HttpAppOptions, 'report' | 'lastResort' | 'webFolder' | 'events'> {
  mcp?: (app: App) => ReturnType<NonNullable<HttpAppOptions['mcp']>> & { close(): Promise<void> };
  /** Aborted by a signal to the process. */
  stop: AbortSignal;
  /** The time that running requests have to finish after that. */
  graceMs?: number;
  /** The principal that starts the server. The web page acts as it where no token is required. */
  starter?: Pick<PageAccess, 'agent' | 'isPerson'>;
  /** Reports what a person should know although the server runs. */
  warn?: (problem: string) => void;
  /** `page` is the address of the web page; it contains the secret of the page, if there is one. */
  announce(where: { url: string; port: number; page: string }): void;
}

/** Serves HTTP until `stop` aborts; then running requests finish and the store is closed. */
export async function serve(
  app: App,
  { stop, announce, mcp, report, warn = () => {}, lastResort, webFolder, starter, events, graceMs = 10_000, ...listening }: ServeOptions,
): Promise<void> {
  const { platform } = app;
  const project = requireProject(platform);
  // An agent must not open the server by editing a file.
  await (await platform.loadTrust()).requirePolicy(project, 'serve');
  const config = platform.config.load(project);
  const { host = '127.0.0.1', port = config['serve.port'] } = listening;
  const bound = host.toLowerCase();
  if (port > 65_535)
    throw new CleoError('E_CONFIG_ERROR', { path: 'serve.port', problem: 'must be at most 65535', fix: 'cleo config unset serve.port' });
  // Read even if no token is required, so that a broken store is reported now and not to each caller.
  let isTrusted = true;
  const hasToken = await hasTokens(app).catch((error: unknown) => {
    if (!(error instanceof CleoError) || error.row !== 'E_PROJECT_UNTRUSTED') throw error;
    // The server starts and answers every call with that error, until a person trusts the project.
    isTrusted = false;
    return true;
  });
  if (!hasToken && (!isLoopback(bound) || config['serve.requireToken']))
    throw new CleoError('E_CONFIG_ERROR', {
      path: 'serve',
      problem: `callers of ${host} need a token, but there is none`,
      fix: 'cleo token create --name client --scope query',
    });
  const certificate = chooseCertificate(config, (path) => resolve(requireProject(platform).root, path));
  if (!certificate && !isLoopback(bound) && config['serve.trustProxy'] === '')
    warn(
      `callers of ${host} send their tokens unencrypted: set serve.tlsCert and serve.tlsKey, or serve.trustProxy behind a proxy with TLS`,
    );
  const needsToken = !isLoopback(bound) || config['serve.requireToken'];
  const page = starter && !needsToken ? { ...starter, secret: platform.randomSecret() } : undefined;
  let endpoint: ReturnType<NonNullable<typeof mcp>> | undefined;
  let eventStreams: EventStreams | undefined;
  const revocations = createRevocationRecorder(app, warn);
  if (isTrusted) await revocations.record();
  const routes = createHttpApp(
    { ...app, onReply: revocations.onReply },
    {
      bound,
      onEventStreams: (streams) => {
        eventStreams = streams;
      },
      hosts: splitList(config['serve.hosts']),
      origins: splitList(config['serve.origins']),
      requireToken: config['serve.requireToken'],
      callsPerMinute: config['serve.callsPerMinute'],
      trustProxy: config['serve.trustProxy'],
      ...defined({ report, lastResort, webFolder, page, events }),
      ...(mcp
        ? {
            mcp: (watched: App) => {
              endpoint = mcp(watched);
              return endpoint;
            },
          }
        : {}),
    },
  );
  const finishSigning = isTrusted ? await startSigning(app, (problem) => report?.(new Error(problem))) : async () => {};
  const server = await listen(routes, { ...listening, host, port, warn, ...defined({ certificate }) });
  announce({ ...server, page: page ? `${server.url}/#secret=${page.secret}` : `${server.url}/` });
  if (!stop.aborted) await new Promise<void>((resolve) => stop.addEventListener('abort', () => resolve(), { once: true }));
  // Open streams would delay the stop until the end of the grace period.
  eventStreams?.close();
  const streams = endpoint?.close();
  await server.stop(graceMs);
  await streams;
  await finishSigning();
  if (isTrusted) await revocations.record();
  // A call that is still running waits for a lock; its caller is gone, so the process does not wait longer.
  await Promise.race([app.closeStores(), new Promise((resolve) => setTimeout(resolve, 1000).unref())]);
}
