import type { HttpBindings } from '@hono/node-server';
import { type Context, Hono } from 'hono';
import { askPerson } from '#core/errors/catalog.ts';
import { CleoError } from '#core/errors/error.ts';
import type { TokenIdentity } from '#dispatch/authenticate.ts';
import { createHealthCheck } from '#dispatch/check-health.ts';
import { type App, createFailure, dispatch, type Envelope } from '#dispatch/dispatch.ts';
import { createLogFeed } from '#dispatch/feed/log-feed.ts';
import { readUsage } from '#dispatch/read-usage.ts';
import type { LastResort } from '../last-resort.ts';
import { getMaxBodyBytes, readBody } from '../read-body.ts';
import { withCalls } from '../with-calls.ts';
import { type AccessOptions, createAccessControl, isFromBrowser, type Visit, type Visitor } from './access-control.ts';
import { addClientRoutes } from './client-routes.ts';
import { createEventStreams, type EventStreamOptions, type EventStreams } from './events.ts';
import { createMetrics } from './metrics.ts';
import { createOpenApi } from './openapi.ts';
import { parseProxies } from './proxies.ts';
import {
  createTooLongError,
  isJsonRequest,
  readPosition,
  toVisitor as toProxiedVisitor,
  toRequestCall,
  wrongContentType,
} from './request-call.ts';
import { createStaticFiles } from './static-files.ts';

export interface HttpAppOptions extends AccessOptions {
  /** Creates the endpoint at `/mcp`, which is behind the same checks, for the given app. */
  mcp?: (app: App) => { handle(request: Request, from: McpVisitor): Promise<Response> };
  /** Reports unexpected errors. */
  report?: (error: unknown) => void;
  lastResort?: Pick<LastResort, 'guard'>;
  /** The addresses of trusted proxies; see `parseProxies`. */
  trustProxy?: string;
  /** Times of the event streams. */
  events?: EventStreamOptions;
  /** Receives the event streams, which have to be closed before the server. */
  onEventStreams?: (streams: EventStreams) => void;
  /** The folder of the built web page. */
  webFolder?: string;
}

/** The caller of an MCP request, and a check of the rate limit for the calls of a batch after its first. */
interface McpVisitor {
  token: TokenIdentity;
  checkFurtherCalls(count: number): void;
}

export type Env = { Bindings: Partial<HttpBindings>; Variables: { visit: Visit } };

/** Creates the HTTP surface: `POST /api/<gateway>/<domain>/<operation>`, the OpenAPI document, health check and metrics. */
export function createHttpApp(base: App, options: HttpAppOptions): Hono<Env> {
  const metrics = createMetrics();
  const onReply: App['onReply'] = (...reply) => {
    metrics.countCall(...reply);
    if (reply[1].operation?.kind !== 'query') feed.wake();
    base.onReply?.(...reply);
  };
  const { lastResort } = options;
  const app: App = { ...base, onReply, getLogFeed: async () => feed, ...(lastResort ? { guard: lastResort.guard } : {}) };
  const feed = createLogFeed(app);
  const { platform } = app;
  const events = createEventStreams(app, feed, options.events);
  options.onEventStreams?.(events);
  const access = createAccessControl(app, options);
  const proxies = parseProxies(options.trustProxy ?? '');
  const toVisitor = (c: Context<Env>): Visitor => toProxiedVisitor(c, proxies);
  const checkHealth = createHealthCheck(app);
  const startedAt = platform.monotonicMs();
  const mcp = options.mcp?.(app);
  const files = options.webFolder === undefined ? undefined : createStaticFiles(options.webFolder);
  let openApi: Promise<string> | undefined;

  const routes = new Hono<Env>();
  if (lastResort)
    // An exception that escapes from a callback of a request rejects here, and `onError` answers it. Dispatch guards calls by itself: most
    // of them use only the store.
    routes.use((c, next) => (isCall(c.req.path) ? next() : lastResort.guard(next)));
  routes.use(async (c, next) => {
    metrics.changeOpen(1);
    try {
      await next();
    } finally {
      metrics.changeOpen(-1);
    }
    metrics.countRequest(c.res.status);
    if (!answers.has(c.res)) for (const [name, value] of securityHeaders) if (!c.res.headers.has(name)) c.res.headers.set(name, value);
  });
  routes.use((c, next) => {
    access.checkOrigin(toVisitor(c));
    return next();
  });
  routes.get('/healthz', async (c) => {
    access.checkRate(toVisitor(c), platform.monotonicMs());
    const status = await checkHealth();
    return c.json({ status }, status === 'failing' ? 503 : 200);
  });
  // The page itself holds no data, so it needs no token.
  if (files)
    routes.get('*', async (c, next) => {
      const getHeader = (name: string): string | undefined => c.req.header(name);
      const [accept, acceptEncoding, ifNoneMatch] = ['accept', 'accept-encoding', 'if-none-match'].map(getHeader);
      return (await files.respond({ path: c.req.path, accept, acceptEncoding, ifNoneMatch })) ?? next();
    });
  routes.use(async (c, next) => {
    c.set('visit', await access.identify(toVisitor(c), platform.monotonicMs()));
    return next();
  });

  routes.post('/api/:gateway{query|mutate}/:domain/:operation', async (c) => {
    if (!isJsonRequest(c)) return respondError(c, wrongContentType, 415);
    const visit = c.get('visit');
    if (visit.page === 'reader' && c.req.param('gateway') === 'mutate') return respondError(c, noPageSecret);
    const operation = `${c.req.param('domain')}.${c.req.param('operation')}`;
    const maxBytes = await getMaxBodyBytes(app.registry, operation);
    const body = await readBody(c.req.raw, maxBytes);
    if (!body) return respondError(c, createTooLongError(maxBytes), 413);
    const call = toRequestCall(c, visit, body, options.page);
    // A browser shows what agents do, so its reads belong to no session and are not logged.
    const isOnlooker = call.kind === 'query' && isFromBrowser(toVisitor(c));
    const reply = await dispatch(isOnlooker ? { ...app, isObserver: true } : app, call);
    if (reply.unexpected) options.report?.(reply.unexpected);
    return respond(c, await withCalls(app, reply, call), reply.error?.httpStatus ?? 200);
  });
  addClientRoutes(routes, app, { report: options.report, respondError });
  routes.get('/api/events', async (c) => {
    const visitor = toVisitor(c);
    const call = toRequestCall(c, c.get('visit'), new Uint8Array(), options.page);
    const { envelope, error } = await dispatch({ ...app, isObserver: true }, { ...call, operation: 'admin.whoami', kind: 'query' });
    if (error) return respondError(c, error);
    const { _meta, success, ...hello } = envelope;
    return events.open({ after: readPosition(c), hello, checkAccess: () => access.checkToken(visitor) });
  });
  routes.get('/api/openapi.json', async (c) => {
    openApi ??= createOpenApi(app.registry, platform.version).then((document) => JSON.stringify(document));
    return c.body(await openApi, 200, { 'content-type': 'application/json' });
  });
  routes.get('/metrics', async (c) => {
    const uptimeSeconds = (platform.monotonicMs() - startedAt) / 1000;
    return c.body(metrics.text({ uptimeSeconds, memoryBytes: process.memoryUsage.rss(), usage: await readUsage(app) }), 200, {
      'content-type': 'text/plain; version=0.0.4; charset=utf-8',
    });
  });
  if (mcp)
    routes.all('/mcp', (c) => {
      const { token } = c.get('visit');
      const checkFurtherCalls = (count: number): void => access.checkFurtherCalls(toVisitor(c), token, count, platform.monotonicMs());
      return mcp.handle(c.req.raw, { token, checkFurtherCalls });
    });
  for (const [path, method] of [
    ['/api/:gateway{query|mutate}/:domain/:operation', 'POST'],
    ['/api/call/:operation', 'POST'],
    ['/api/part/:operation', 'POST'],
    ['/api/lease', 'POST'],
    ['/api/records', 'POST'],
    ['/api/token', 'POST'],
    ['/api/openapi.json', 'GET'],
    ['/api/events', 'GET'],
    ['/metrics', 'GET'],
    ['/healthz', 'GET'],
  ] as const)
    routes.all(path, (c) => {
      c.header('allow', method);
      return respondError(c, new CleoError('E_INVALID_INPUT', { problem: `This takes ${method}`, fix: 'cleo help serve' }), 405);
    });

  routes.notFound((c) => {
    const error = new CleoError('E_INVALID_OPERATION', { operation: c.req.path.slice(0, 100), suggestions: [] });
    return respondError(c, error);
  });
  routes.onError((error, c) => {
    if (error instanceof CleoError) return respondError(c, error);
    options.report?.(error);
    return respondError(c, new CleoError('E_GENERAL_ERROR', { problem: 'the request could not be answered' }));
  });

  /** Answers a request that did not reach an operation. Callers without access do not see the version. */
  async function respondError(c: Context<Env>, error: CleoError, status = error.httpStatus): Promise<Response> {
    if (status === 401) c.header('www-authenticate', 'Bearer');
    if (error.row === 'E_TOO_MANY_REQUESTS') c.header('retry-after', String(error.details.retryAfterSeconds));
    const envelope = createFailure({ command: 'http', timestamp: platform.now(), version: platform.version }, error);
    const { _meta, ...rest } = await withCalls(app, { envelope }, {});
    const { version, ...bare } = _meta;
    const isAnonymous = [401, 403, 429].includes(status);
    return respond(c, { _meta: isAnonymous ? bare : { ...bare, version }, ...rest } as Envelope, status);
  }
  return routes;
}

const isCall = (path: string): boolean => /^\/api\/(query|mutate|call|part)\//.test(path);

const noPageSecret = new CleoError('E_FORBIDDEN', {
  problem: 'A browser may write only from the page that this server opened: its address contains a secret of this start',
  fix: askPerson('cleo serve --open'),
  reason: 'secret',
});
const securityFields = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
};
const securityHeaders = Object.entries(securityFields);
const jsonHeaders = { 'content-type': 'application/json', ...securityFields };

/** Answers that have the headers already. To add them later takes longer than the rest of an answer. */
const answers = new WeakSet<Response>();

function respond(c: Context<Env>, envelope: Envelope, status: number): Response {
  const body = `${JSON.stringify(envelope)}\n`;
  // An error may have headers of its own.
  if (status !== 200) return c.body(body, status as 200, { 'content-type': 'application/json' });
  // Bun would send chunks.
  const answer = new Response(body, { headers: { ...jsonHeaders, 'content-length': String(Buffer.byteLength(body)) } });
  answers.add(answer);
  return answer;
}
