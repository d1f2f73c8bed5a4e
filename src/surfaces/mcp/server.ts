import { Server } from '@modelcontextprotocol/server';
import type { Envelope } from '#dispatch/envelope.ts';
import { findChangedResources } from './changes.ts';
import type { McpContext } from './context.ts';
import { completePrompt, getPrompt, listPrompts } from './prompts.ts';
import { completeResource, listResources, listTemplates, readResource } from './resources.ts';
import { callTool, createTools } from './tools.ts';

/** How a server tells of changes: on its own connection to whoever subscribed there, through the handler that holds the
 *  subscriptions (`elsewhere`), or not at all. What it cannot do it does not declare. */
export type ChangeChannel = 'subscribers' | 'connection' | 'elsewhere' | 'nobody';

/** One server of the official SDK, for one connection or one request, in whichever revision the client speaks. */
export function createMcpServer(desk: McpContext, telling: ChangeChannel): Server {
  const { app } = desk;
  const subscribed = new Set<string>();
  const tells = telling !== 'nobody' ? { subscribe: true, listChanged: true } : {};
  const server = new Server(
    { name: 'cleo', title: 'CLEO', version: app.platform.version },
    {
      capabilities: { tools: {}, resources: tells, prompts: {}, completions: {} },
      instructions,
      debouncedNotificationMethods: ['notifications/resources/list_changed'],
    },
  );
  const told = (envelope: Envelope): void => {
    const changed = telling === 'subscribers' || telling === 'connection' ? findChangedResources(envelope) : undefined;
    if (!changed) return;
    const uris = changed.uris.filter((uri) => telling === 'connection' || subscribed.has(uri));
    // A client that has just left is told nothing; that is no failure of the call.
    void Promise.all([server.sendResourceListChanged(), ...uris.map((uri) => server.sendResourceUpdated({ uri }))]).catch(() => {});
  };
  const own: McpContext = {
    ...desk,
    onAnswer: (envelope, agent) => {
      desk.onAnswer?.(envelope, agent);
      told(envelope);
    },
  };
  const listed = createTools(app.registry);
  server.setRequestHandler('tools/list', () => ({ tools: listed }));
  server.setRequestHandler('tools/call', ({ params }, ctx) => callTool(own, params.name, params.arguments, ctx));
  server.setRequestHandler('resources/list', async () => ({ resources: await listResources(own) }));
  server.setRequestHandler('resources/templates/list', () => ({ resourceTemplates: listTemplates(own) }));
  server.setRequestHandler('resources/read', ({ params }, { mcpReq }) => readResource(own, params.uri, mcpReq.signal));
  server.setRequestHandler('prompts/list', () => ({ prompts: listPrompts() }));
  server.setRequestHandler('prompts/get', ({ params }, { mcpReq }) => getPrompt(own, params.name, params.arguments, mcpReq.signal));
  server.setRequestHandler('completion/complete', async ({ params: { ref, argument } }) => {
    const values =
      ref.type === 'ref/prompt'
        ? await completePrompt(own, ref.name, argument.name, argument.value)
        : await completeResource(own, ref.uri, argument.name, argument.value);
    return { completion: { values: values.slice(0, 100), total: values.length, hasMore: values.length > 100 } };
  });
  if (telling === 'subscribers') {
    server.setRequestHandler('resources/subscribe', ({ params }) => {
      subscribed.add(params.uri);
      return {};
    });
    server.setRequestHandler('resources/unsubscribe', ({ params }) => {
      subscribed.delete(params.uri);
      return {};
    });
  }
  return server;
}

/** Read once at the start of every conversation. */
export const instructions = `CLEO keeps what is to be done in this project: tasks, their order, who works on which, and how it was proved.
cleo_query reads, cleo_mutate writes. Both take {domain, operation, params}; admin.help {"operation":"tasks.add"} gives the parameters of one.
A day: session.list, then session.start {scope, autoFocus}; tasks.find and tasks.show to look (not whole lists); tasks.start claims a task for you alone; tasks.complete when it is proved; tasks.next for what follows; session.end with a note for whoever comes after.
Give every new task a description, and check a parent with tasks.exists before you add below it.
A refusal says why in error.message and the way out in error.fix and error.alternatives. After "not found" ask tasks.find or tasks.exists. _meta.exitCode 100 to 102 is no error: nothing matched, it is there already, nothing to change.`;
