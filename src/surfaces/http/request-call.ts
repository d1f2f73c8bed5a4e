import type { Context } from 'hono';
import { CleoError } from '#core/errors/error.ts';
import type { Call } from '#dispatch/dispatch.ts';
import { defined } from '#lib/collections.ts';
import { parseBody } from '../read-body.ts';
import type { PageAccess, Visit, Visitor } from './access-control.ts';
import type { Env } from './app.ts';
import type { Proxies } from './proxies.ts';

/** Reads the headers that decide about access. */
export const toVisitor = (c: Context<Env>, proxies: Proxies): Visitor => ({
  host: c.req.header('host'),
  origin: c.req.header('origin'),
  authorization: c.req.header('authorization'),
  fetchSite: c.req.header('sec-fetch-site'),
  fetchDest: c.req.header('sec-fetch-dest'),
  pageSecret: c.req.header('cleo-page-secret'),
  isForwarded: ['forwarded', 'x-forwarded-for', 'x-real-ip', 'via'].some((name) => c.req.header(name) !== undefined),
  address: proxies.findClient(c.env?.incoming?.socket.remoteAddress ?? 'local', c.req.header('x-forwarded-for')),
});

/** Converts a request to `/api/<gateway>/<domain>/<operation>` to a call. */
export function toRequestCall(c: Context<Env>, visit: Visit, body: Uint8Array, page: PageAccess | undefined): Call {
  const { gateway, domain, operation } = c.req.param() as Partial<Record<string, string>>;
  const isPage = page && visit.page === 'writer';
  return {
    operation: `${domain}.${operation}`,
    gateway: 'http',
    kind: gateway as 'query' | 'mutate',
    token: visit.token,
    ...(gateway === 'mutate' ? { signal: createDepartureSignal(c) } : {}),
    ...defined({
      agent: c.req.header('cleo-agent') ?? (isPage ? page.agent : undefined),
      session: c.req.header('cleo-session'),
      idempotencyKey: c.req.header('idempotency-key'),
      page: isPage ? defined({ isPerson: page.isPerson, passphrase: readPassphrase(c) }) : undefined,
    }),
    ...toCallParams(body),
  };
}

/** Reads the number of the last event that the reader has seen. */
export function readPosition(c: Context<Env>): number | undefined {
  const text = c.req.header('last-event-id') ?? c.req.query('after');
  if (text === undefined || text === '') return undefined;
  if (!/^\d{1,10}$/.test(text))
    throw new CleoError('E_VALIDATION', { field: 'after', problem: 'must be the number of a log entry', fix: 'cleo log --limit 1' });
  return Number(text);
}

/** Reads the passphrase that a person typed in the page. It is a header, because parameters are logged; it is encoded, because headers are
 *  ASCII. */
function readPassphrase(c: Context<Env>): string | undefined {
  try {
    return decodeURIComponent(c.req.header('cleo-passphrase') ?? '') || undefined;
  } catch {
    return undefined;
  }
}

/** Reads the parameters; an empty body means none. Invalid JSON is logged and answered like any call that does not parse. */
function toCallParams(body: Uint8Array): Pick<Call, 'params' | 'inputError'> {
  const parsed = body.byteLength === 0 ? { value: {} } : parseBody(body);
  if (parsed) return { params: parsed.value };
  return { params: {}, inputError: new CleoError('E_INVALID_INPUT', { problem: 'The body is not valid JSON', fix: 'cleo help serve' }) };
}

/** Creates a signal that aborts when the caller disconnects before the answer. */
export function createDepartureSignal(c: Context<Env>): AbortSignal {
  const controller = new AbortController();
  const { outgoing } = c.env ?? {};
  outgoing?.once('close', () => {
    if (!outgoing.writableFinished) controller.abort();
  });
  return controller.signal;
}

/** Checks the content type. A page of another site cannot send JSON without being asked for permission first. */
export const isJsonRequest = (c: Context<Env>): boolean =>
  /^application\/json\s*(?:;\s*charset="?utf-8"?\s*)?$/i.test(c.req.header('content-type') ?? '');

export const createTooLongError = (maxBytes: number): CleoError =>
  new CleoError('E_VALIDATION', {
    field: 'body',
    problem: `must have at most ${Math.floor(maxBytes / 2 ** 20)} MiB`,
    fix: 'cleo help serve',
  });
export const wrongContentType = new CleoError('E_INVALID_INPUT', {
  problem: 'The parameters are sent as JSON: Content-Type: application/json',
  fix: 'cleo help serve',
});
