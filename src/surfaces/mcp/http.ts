import { createMcpHandler, INVALID_REQUEST, InMemoryServerEventBus, PARSE_ERROR, type ServerEventBus } from '@modelcontextprotocol/server';
import type { Call } from '#dispatch/call-context.ts';
import type { App } from '#dispatch/dispatch.ts';
import { defined } from '#lib/collections.ts';
import { maxBodyBytes, parseBody, readBody } from '../read-body.ts';
import { findChangedResources } from './changes.ts';
import { createLogFollower } from './follow-log.ts';
import { createMcpServer } from './server.ts';

interface McpEndpoint {
  /** Handles one request. The caller has checked Host, Origin and token, and passes the token on. `checkFurtherCalls` throws if the
   *  calls of a batch after its first exceed the rate limit. */
  handle(request: Request, from?: { token?: NonNullable<Call['token']>; checkFurtherCalls?(count: number): void }): Promise<Response>;
  /** Closes open streams. */
  close(): Promise<void>;
}

/** Creates a Streamable HTTP endpoint for both protocol revisions, without transport sessions: each call names its session. */
export function createMcpEndpoint(
  app: App,
  { maxBytes = maxBodyBytes, onerror }: { maxBytes?: number; onerror?: (error: Error) => void } = {},
): McpEndpoint {
  // The SDK passes the `authInfo` of a request to this factory; the map finds the token of CLEO by it.
  const tokens = new WeakMap<object, NonNullable<Call['token']>>();
  // The streams of `subscriptions/listen` subscribe to this bus. The log is followed while there is one.
  const events = new InMemoryServerEventBus();
  const bus: ServerEventBus = {
    publish: (event) => events.publish(event),
    subscribe(listener) {
      const unsubscribe = events.subscribe(listener);
      follower.setSubscriptions(events.listenerCount);
      return () => {
        unsubscribe();
        follower.setSubscriptions(events.listenerCount);
      };
    },
  };
  const notify = (uris: string[]): void => {
    handler.notify.resourcesChanged();
    for (const uri of uris) handler.notify.resourceUpdated(uri);
  };
  const follower = createLogFollower(app, notify);
  const handler = createMcpHandler(
    ({ era, authInfo }) => {
      const token = authInfo && tokens.get(authInfo);
      const onAnswer = (envelope: Parameters<typeof findChangedResources>[0]): void => {
        const changed = findChangedResources(envelope);
        if (changed && !follower.wake()) notify(changed.uris);
      };
      // Older revisions send notifications on the stream of a transport session, which does not exist here.
      return createMcpServer({ app, ...(token ? { token } : {}), onAnswer }, era === 'legacy' ? 'none' : 'handler');
    },
    { maxRequestBodySize: maxBytes, bus, ...(onerror ? { onerror } : {}) },
  );
  return {
    async handle(request, { token, checkFurtherCalls } = {}) {
      const authInfo = token && { token: '', clientId: token.name, scopes: [token.scope] };
      if (authInfo) tokens.set(authInfo, token);
      // The SDK reads what is not JSON, and answers it.
      if (request.method !== 'POST' || !/^application\/json\b/i.test(request.headers.get('content-type') ?? ''))
        return handler.fetch(request, defined({ authInfo }));
      const bytes = await readBody(request, maxBytes);
      if (!bytes) return createErrorResponse(413, INVALID_REQUEST, `A message may have at most ${maxBytes} bytes`);
      const parsed = parseBody(bytes);
      if (!parsed) return createErrorResponse(400, PARSE_ERROR, 'The body is not JSON');
      const { value } = parsed;
      if (Array.isArray(value) && value.length > 1) checkFurtherCalls?.(value.length - 1);
      return handler.fetch(request, { parsedBody: value, ...defined({ authInfo }) });
    },
    close() {
      follower.close();
      return handler.close();
    },
  };
}

const createErrorResponse = (status: number, code: number, message: string): Response =>
  Response.json({ jsonrpc: '2.0', id: null, error: { code, message } }, { status });
