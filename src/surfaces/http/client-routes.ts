import type { Context, Hono } from 'hono';
import { CleoError } from '#core/errors/error.ts';
import { anonymousToken } from '#core/model/anonymous-token.ts';
import { framedCallType } from '#core/model/text-frames.ts';
import type { App } from '#dispatch/dispatch.ts';
import { defined } from '#lib/collections.ts';
import { getMaxBodyBytes, maxBodyBytes, parseBody, readBody } from '../read-body.ts';
import type { Env } from './app.ts';
import type { FramedCall } from './framed-call.ts';
import { createDepartureSignal, createTooLongError, isJsonRequest, wrongContentType } from './request-call.ts';

interface ClientRouteOptions {
  report: ((error: unknown) => void) | undefined;
  respondError(c: Context<Env>, error: CleoError, status?: number): Promise<Response>;
}

/** Adds the routes of cleo clients whose store is behind this server: calls, and the claims of a stdio server. They describe the caller on
 *  its own machine, so the body holds more than the parameters, and the answer more than the envelope. */
export function addClientRoutes(routes: Hono<Env>, app: App, { report, respondError }: ClientRouteOptions): void {
  const readJson = async (c: Context<Env>, maxBytes = maxBodyBytes): Promise<{ value: unknown } | Response> => {
    if (!isJsonRequest(c)) return respondError(c, wrongContentType, 415);
    const bytes = await readBody(c.req.raw, maxBytes);
    if (!bytes) return respondError(c, createTooLongError(maxBytes), 413);
    return parseBody(bytes) ?? respondError(c, notJson);
  };
  const toRequest = (c: Context<Env>, body: unknown) => ({ body, token: c.get('visit').token, version: c.req.header('cleo-version') });

  // What a client says about its machine decides about evidence, baselines and validators, so it has to be known who says it.
  for (const path of ['/api/call/*', '/api/part/*', '/api/lease', '/api/records'])
    routes.use(path, (c, next) => (c.get('visit').token.name === anonymousToken ? respondError(c, missingToken) : next()));

  /** Reads a call whose long texts follow it. */
  const readFramed = async (c: Context<Env>, maxBytes: number): Promise<FramedCall | Response> => {
    const { readFramedCall } = await import('./framed-call.ts');
    const read = await readFramedCall(c.req.raw.body ?? toEmptyBody(), maxBytes);
    if (read === 'too long') return respondError(c, createTooLongError(maxBytes), 413);
    return read === 'not a call' ? respondError(c, notJson) : read;
  };

  const answerCall = async (c: Context<Env, '/:operation'>): Promise<Response> => {
    // The body also describes the caller.
    const maxBytes = (await getMaxBodyBytes(app.registry, c.req.param('operation'))) + maxCallerBytes;
    const isFramed = c.req.header('content-type') === framedCallType;
    const read = isFramed ? await readFramed(c, maxBytes) : await readJson(c, maxBytes);
    if (read instanceof Response) return read;
    try {
      return await runCall(c, read.value);
    } finally {
      if ('close' in read) await (read as FramedCall).close();
    }
  };

  const runCall = async (c: Context<Env, '/:operation'>, body: unknown): Promise<Response> => {
    const { answerClient } = await import('#dispatch/remote/receive-call.ts');
    const signal = createDepartureSignal(c);
    const { answer, reply } = await answerClient(app, { ...toRequest(c, body), operation: c.req.param('operation'), signal });
    if (reply?.unexpected) report?.(reply.unexpected);
    return c.body(`${JSON.stringify(answer)}\n`, (reply?.error?.httpStatus ?? 200) as 200, { 'content-type': 'application/json' });
  };
  routes.post('/api/call/:operation', answerCall);
  // A path of its own, which servers of before do not have: they would run the whole operation.
  routes.post('/api/part/:operation', answerCall);
  routes.post('/api/token', (c) => {
    const { name, scope, agent } = c.get('visit').token;
    return c.json(defined({ name, scope, agent }));
  });
  routes.post('/api/lease', async (c) => {
    const read = await readJson(c);
    if (read instanceof Response) return read;
    const dueMs = await (await import('#dispatch/remote/receive-call.ts')).answerLease(app, toRequest(c, read.value));
    return c.json({ dueMs });
  });
  routes.post('/api/records', async (c) => {
    const read = await readJson(c, maxRecordBytes);
    if (read instanceof Response) return read;
    return c.json(defined({ records: await (await import('#dispatch/remote/records.ts')).answerRecords(app, toRequest(c, read.value)) }));
  });
}

/** A client sends pages of about 1 MiB, or one record up to `store.maxRecordKb`. */
const maxRecordBytes = 16 << 20;

const maxCallerBytes = 1 << 16;

async function* toEmptyBody(): AsyncGenerator<Uint8Array> {}

const missingToken = new CleoError('E_UNAUTHORIZED', {
  problem: 'The request has no token: a client needs one of this server in CLEO_TOKEN, also on the same machine',
  command: 'cleo token create --name client --role contributor',
});

const notJson = new CleoError('E_INVALID_INPUT', { problem: 'The body is not valid JSON', fix: 'cleo help serve' });
