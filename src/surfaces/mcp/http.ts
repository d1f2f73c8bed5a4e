import { createMcpHandler } from '@modelcontextprotocol/server';
import type { Call } from '#dispatch/call-context.ts';
import type { App } from '#dispatch/dispatch.ts';
import { findChangedResources } from './changes.ts';
import { createMcpServer } from './server.ts';

export interface McpEndpoint {
  /** One request to the endpoint. Host, Origin and token are the caller's to check; what it found of the token comes in. */
  handle(request: Request, from?: { token?: NonNullable<Call['token']> }): Promise<Response>;
  /** Ends the streams that are open. */
  close(): Promise<void>;
}

/** Streamable HTTP in both revisions, without a session of the transport: whoever calls names the session in the call. */
export function createMcpEndpoint(
  app: App,
  { maxBodyBytes = 1 << 20, onerror }: { maxBodyBytes?: number; onerror?: (error: Error) => void } = {},
): McpEndpoint {
  // The SDK hands a factory what the caller of `fetch` passed on, in this form.
  const tokens = new WeakMap<object, NonNullable<Call['token']>>();
  const handler = createMcpHandler(
    ({ era, authInfo }) => {
      const token = authInfo && tokens.get(authInfo);
      const answered = (envelope: Parameters<typeof findChangedResources>[0]): void => {
        const changed = findChangedResources(envelope);
        if (!changed) return;
        handler.notify.resourcesChanged();
        for (const uri of changed.uris) handler.notify.resourceUpdated(uri);
      };
      // The older revisions are told of changes on a stream of a transport session, which there is none of.
      return createMcpServer({ app, ...(token ? { token } : {}), onAnswer: answered }, era === 'legacy' ? 'nobody' : 'elsewhere');
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
