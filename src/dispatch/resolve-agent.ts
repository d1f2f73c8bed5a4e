import { CleoError } from '#core/errors/error.ts';
import { toAgentName, toTokenAgent } from '#core/rules/token-agent.ts';
import { defined, isPlainObject } from '#lib/collections.ts';
import type { Processes } from '#platform/port.ts';
import { agentClients } from '#sessions/model/agent-clients.ts';
import type { ClientProcess, EnvironmentIdentity } from '#sessions/model/caller-identity.ts';
import { toConversationAgent } from '#sessions/rules/caller.ts';
import { chooseAgent } from '#sessions/rules/client-process.ts';
import type { ReadStore, WriteStore } from '#store/port/store.ts';
import { type CallContext, toStamp } from './call-context.ts';

/** Replaces the agent of the environment by the conversation that the request, the hook input or the store names. A write also
 *  records which conversation the client process belongs to, and learns the process of the caller. */
export async function resolveAgent(ctx: CallContext, reads: ReadStore, writes?: WriteStore): Promise<void> {
  const { app, call, hookInput } = ctx;
  const { platform } = app;
  if (call.agent !== undefined || platform.identity.kind === 'named') return;
  const isServer = app.agentSessions !== undefined;
  const { token } = call;
  const environment: EnvironmentIdentity = token && !token.isClient ? { kind: 'shared', agent: toAgentName(token) } : platform.identity;
  const processes = await platform.loadProcesses();
  const isShell = !isServer && hookInput === undefined && call.conversation === undefined;
  const needsProcess = environment.kind !== 'shared' && !(isShell && environment.kind === 'conversation');
  const client = needsProcess ? processes.findClientProcess(isServer) : undefined;
  const requested = findRequestedAgent(ctx, client);
  const recorded = client && requested === undefined ? await reads.sessions.findNewestConversation(client.key) : undefined;
  const { agent: chosen, isProvisional } = chooseAgent({ requested, isServer, environment, process: client, recorded });
  const agent = token ? toTokenAgent(token, chosen) : chosen;
  ctx.caller = { ...ctx.caller, agent };
  if (!writes || environment.kind === 'shared') return;
  if (!needsProcess) {
    ctx.caller = { ...ctx.caller, ...defined({ process: await findShellProcess(ctx, writes, processes, environment.client) }) };
    return;
  }
  if (!client) return;
  ctx.caller = { ...ctx.caller, process: client.key };
  if (requested !== undefined) await recordPair(ctx, writes, client.key, hookInput !== undefined);
  else if (isProvisional) await writes.conversations.recordProvisional(client.key, agent, ctx.now);
}

/** Returns the agent that the request or the hook input names. The client of a status line is known by its process. */
function findRequestedAgent({ app, call, hookInput }: CallContext, client: ClientProcess | undefined): string | undefined {
  if (call.conversation) return toConversationAgent(call.conversation.client, call.conversation.id);
  const id = isPlainObject(hookInput) ? hookInput.session_id : undefined;
  const { hook } = call.params as { hook?: string };
  const known = agentClients.some(({ name }) => name === client?.client) ? client?.client : undefined;
  return toConversationAgent(hook ?? known ?? app.platform.identity.client ?? 'claude', id);
}

/** Finds the client process of a conversation that calls from a shell. The process table is read only if the store has not seen the
 *  conversation, or has seen it in a process that is gone. */
async function findShellProcess(
  ctx: CallContext,
  writes: WriteStore,
  { findClientProcess, isProcessRunning }: Processes,
  clientName: string | undefined,
): Promise<string | undefined> {
  const stored = await writes.conversations.findProcess(ctx.caller.agent);
  if (stored && isProcessRunning(stored) !== false) return stored;
  const client = findClientProcess(false);
  // A call that outlives its client belongs to the process that is gone, so that others can take over what it claims.
  if (!client || client.client !== clientName) return stored;
  await recordPair(ctx, writes, client.key, true);
  return client.key;
}

/** Records the pair, and gives the agent everything that was done in its name under a provisional one. */
async function recordPair({ caller, now }: CallContext, writes: WriteStore, process: string, isNewest: boolean): Promise<void> {
  for (const provisional of await writes.conversations.record(process, caller.agent, now, isNewest))
    await writes.conversations.moveAgent(provisional, caller.agent);
}

/** Conversations that this process has recorded while reading, by project. */
const recorded = new Set<string>();

/** Records the conversation of a read before it runs. Like the renewal of a lease it is a write without an operation and an audit
 *  row. A store that cannot be written is not an error: the read does not depend on it. */
export async function recordBeforeRead(ctx: CallContext): Promise<void> {
  const { app, call } = ctx;
  if (app.isObserver || !app.platform.getProject()) return;
  const key = `${app.platform.getProject()?.folder} ${call.conversation?.client}-${call.conversation?.id}`;
  if (call.conversation && recorded.has(key)) return;
  try {
    await (await app.openStore('write')).write(toStamp(ctx), (writes) => resolveAgent(ctx, writes, writes));
    if (call.conversation) recorded.add(key);
  } catch (error) {
    if (!(error instanceof CleoError)) throw error;
  }
}
