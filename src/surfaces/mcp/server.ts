import { Server } from '@modelcontextprotocol/server';
import type { Envelope } from '#dispatch/dispatch.ts';
import { defined } from '#lib/collections.ts';
import { findChangedResources } from './changes.ts';
import type { McpContext } from './context.ts';
import { createLogFollower, type LogFollower } from './follow-log.ts';
import { completePrompt, getPrompt, listPrompts } from './prompts.ts';
import { completeResource, listResources, listTemplates, readResource } from './resources.ts';
import { callTool, createTools } from './tools.ts';

/** The way in which a server notifies clients of changed resources: only the URIs that a client of this connection subscribed to, all URIs on
 *  this connection, through the HTTP handler that holds the subscriptions, or not at all. */
type ChangeChannel = 'subscribers' | 'connection' | 'handler' | 'none';

/** Creates a server of the official SDK for one connection or one request. */
export function createMcpServer(context: McpContext, channel: ChangeChannel, onServer?: (server: McpServerHandle) => void): Server {
  const { app } = context;
  const subscribed = new Set<string>();
  const capabilities = channel !== 'none' ? { subscribe: true, listChanged: true } : {};
  const server = new Server(
    { name: 'cleo', title: 'CLEO', version: app.platform.version },
    {
      capabilities: { tools: {}, resources: capabilities, prompts: {}, completions: {} },
      instructions,
      debouncedNotificationMethods: ['notifications/resources/list_changed'],
    },
  );
  const notify = (changed: string[]): void => {
    const uris = changed.filter((uri) => channel === 'connection' || subscribed.has(uri));
    // A client that has disconnected cannot be notified, which is not an error of the call.
    void Promise.all([server.sendResourceListChanged(), ...uris.map((uri) => server.sendResourceUpdated({ uri }))]).catch(() => {});
  };
  const follower = createLogFollower(app, notify);
  server.onclose = follower.close;
  const notifyChanges = (envelope: Envelope): void => {
    const changed = channel === 'subscribers' || channel === 'connection' ? findChangedResources(envelope) : undefined;
    if (changed && !follower.wake()) notify(changed.uris);
  };
  const ownContext: McpContext = {
    ...context,
    knownSessions: new Map(),
    onAnswer: (envelope, agent) => {
      context.onAnswer?.(envelope, agent);
      notifyChanges(envelope);
    },
  };
  // Clients read resources for their user, also unasked: such a read belongs to no session, renews no claim and is not graded.
  const { token, guard } = context;
  const onlooker: McpContext = { app: { ...app, isObserver: true }, ...defined({ token, guard }) };
  const tools = createTools(app.registry);
  server.setRequestHandler('tools/list', () => ({ tools }));
  server.setRequestHandler('tools/call', ({ params }, ctx) => callTool(ownContext, params.name, params.arguments, ctx));
  server.setRequestHandler('resources/list', async () => ({ resources: await listResources(onlooker) }));
  server.setRequestHandler('resources/templates/list', () => ({ resourceTemplates: listTemplates(ownContext) }));
  server.setRequestHandler('resources/read', ({ params }, { mcpReq }) => readResource(onlooker, params.uri, mcpReq.signal));
  server.setRequestHandler('prompts/list', () => ({ prompts: listPrompts() }));
  server.setRequestHandler('prompts/get', ({ params }, { mcpReq }) => getPrompt(ownContext, params.name, params.arguments, mcpReq.signal));
  server.setRequestHandler('completion/complete', async ({ params: { ref, argument } }) => {
    const values =
      ref.type === 'ref/prompt'
        ? await completePrompt(ownContext, ref.name, argument.name, argument.value)
        : await completeResource(onlooker, ref.uri, argument.name, argument.value);
    return { completion: { values: values.slice(0, 100), total: values.length, hasMore: values.length > 100 } };
  });
  if (channel === 'subscribers') {
    server.setRequestHandler('resources/subscribe', ({ params }) => {
      subscribed.add(params.uri);
      follower.setSubscriptions(subscribed.size);
      return {};
    });
    server.setRequestHandler('resources/unsubscribe', ({ params }) => {
      subscribed.delete(params.uri);
      follower.setSubscriptions(subscribed.size);
      return {};
    });
  }
  onServer?.({ setSubscriptions: follower.setSubscriptions });
  return server;
}

/** The part of a server that its transport needs: newer revisions subscribe by a request that the SDK answers itself. */
type McpServerHandle = Pick<LogFollower, 'setSubscriptions'>;

/** Clients read this once at the start of every conversation. */
export const instructions = `CLEO stores the tasks of this project: their order, who works on which, and the evidence that they are done.
cleo_query reads, cleo_mutate writes. Both take {domain, operation, params}; admin.help {} has the parameters of the everyday ones.
A typical session: session.list, then session.start {scope, autoFocus}; tasks.find and tasks.show to read (not whole lists); tasks.start to claim a task; tasks.complete when it is verified; tasks.next for the next task; session.end with a note for the next agent.
Give every new task a description, and check a parent with tasks.exists before you add below it.
After an error send error.call (tool, domain, operation, params), or the call of one of error.alternatives; error.message has the cause. Without a call, error.details.manual says what a person must do. After "not found" call tasks.find or tasks.exists. _meta.exitCode 100 to 102 are not errors: no match, already exists, no change.`;
