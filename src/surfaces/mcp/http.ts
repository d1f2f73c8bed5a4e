import { createMcpHandler } from '@modelcontextprotocol/server';
import type { Call } from '#dispatch/call-context.ts';
import type { App } from '#dispatch/dispatch.ts';
import { findChangedResources } from './changes.ts';
import { createMcpServer } from './server.ts';

export interface McpEndpoint {
  /** Handles one request. The caller has checked Host, Origin and token, and passes the token on. */
  handle(request: Request, from?: { token?: NonNullable<Call['token']> }): Promise<Response>;
  /** Closes open streams. */
  close(): Promise<void>;
}

/** Creates a Streamable HTTP endpoint for both protocol revisions, without transport sessions: each call names its session. */
export function createMcpEndpoint(
  app: App,
  { maxBodyBytes = 1 << 20, onerror }: { maxBodyBytes?: number; onerror?: (error: Error) => void } = {},
): McpEndpoint {
  // The SDK passes the `authInfo` of a request to this factory; the map finds the token of CLEO by it.
  const tokens = new WeakMap<object, NonNullable<Call['token']>>();
  const handler = createMcpHandler(
    ({ era, authInfo }) => {
      const token = authInfo && tokens.get(authInfo);
      const onAnswer = (envelope: Parameters<typeof findChangedResources>[0]): void => {
        const changed = findChangedResources(envelope);
        if (!changed) return;
        handler.notify.resourcesChanged();
        for (const uri of changed.uris) handler.notify.resourceUpdated(uri);
      };
      // Older revisions send notifications on the stream of a transport session, which does not exist here.
      return createMcpServer({ app, ...(token ? { token } : {}), onAnswer }, era === 'legacy' ? 'none' : 'handler');
    },
    { maxRequestBodySize: maxBodyBytes, ...(onerror ? { onerror } : {}) },
  );
  return {
    handle(request, { token } = {}) {
      if (!token) return handler.fetch(request);
      const authInfo = { token: '', clientId: token.name, scopes: [token.scope] };
      tokens.set(authInfo, token);
      return handler.fetch(request, { authInfo });
    },
    close: handler.close,
  };
}
