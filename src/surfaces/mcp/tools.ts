import { type CallToolResult, ProtocolError, ProtocolErrorCode, type ServerContext, type Tool } from '@modelcontextprotocol/server';
import type { Registry } from '#core/define.ts';
import { CleoError } from '#core/errors/error.ts';
import type { Call } from '#dispatch/call-context.ts';
import { createFailure, type Envelope } from '#dispatch/dispatch.ts';
import { defined } from '#lib/collections.ts';
import { escapeInvisible } from '#lib/invisible.ts';
import { agentClients } from '#sessions/model/agent-clients.ts';
import { withCalls } from '../with-calls.ts';
import { callOperation, type McpContext } from './context.ts';
import { toLeanAnswer } from './lean-answer.ts';
import { withProgress } from './progress.ts';
import { readToolArguments } from './tool-arguments.ts';

export const toolNames = { query: 'cleo_query', mutate: 'cleo_mutate' } as const;
type Gateway = keyof typeof toolNames;

/** Creates the two tools. Their descriptions cost tokens in every conversation, so they name only the everyday operations. */
export function createTools(registry: Registry): Tool[] {
  return [
    createTool(registry, 'query', 'Reads from', { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false }),
    createTool(registry, 'mutate', 'Writes to', {
      readOnlyHint: false,
      destructiveHint: true,
      idempotentHint: false,
      openWorldHint: false,
    }),
  ];
}

function createTool(registry: Registry, gateway: Gateway, verb: string, annotations: NonNullable<Tool['annotations']>): Tool {
  const text = (description: string) => ({ type: 'string' as const, description });
  return {
    name: toolNames[gateway],
    description: `${verb} CLEO: tasks, sessions and memory of this project. Everyday operations: ${listEverydayOperations(registry, gateway)}. Parameters, and all others: ${gateway === 'query' ? '' : `${toolNames.query} `}admin.help {"operation":"tasks.show"}, or {} for the list.`,
    inputSchema: {
      type: 'object',
      properties: {
        domain: text('e.g. tasks'),
        operation: text(gateway === 'query' ? 'e.g. show' : 'e.g. add'),
        params: { type: 'object', description: 'Parameters of the operation' },
        session: text('Session id, if you have several'),
        agent: text('Your id, if several agents share this server'),
        ...(gateway === 'mutate' ? { idempotencyKey: text('Repeating a key has no second effect') } : {}),
      },
      required: ['domain', 'operation'],
      additionalProperties: false,
    },
    outputSchema: { type: 'object' },
    annotations,
  };
}

/** Lists the operations of tier 0 behind this gateway: `tasks: add, update; session: start`. */
function listEverydayOperations(registry: Registry, gateway: Gateway): string {
  const domains = new Map<string, string[]>();
  for (const { name, kind, tier } of registry.entries) {
    if (tier > 0 || (kind === 'query') !== (gateway === 'query')) continue;
    const [domain = '', ...rest] = name.split('.');
    domains.set(domain, [...(domains.get(domain) ?? []), rest.join('.')]);
  }
  return [...domains].map(([domain, names]) => `${domain}: ${names.join(', ')}`).join('; ');
}

/** Calls the operation that the arguments name, and returns its envelope. */
export async function callTool(context: McpContext, name: string, input: unknown, ctx: ServerContext): Promise<CallToolResult> {
  const gateway = (Object.keys(toolNames) as Gateway[]).find((each) => toolNames[each] === name);
  if (!gateway) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Tool ${name} not found`);
  const given = await readToolArguments(input, gateway === 'mutate', context.app.registry);
  if ('problem' in given) return toToolResult(await withCalls(context.app, createErrorReply(context, name, given.problem), {}));
  const reply = await withProgress(ctx, context.app.registry, given.operation, (observe) =>
    callOperation(context, {
      ...given,
      gateway: toolNames[gateway],
      kind: gateway,
      ...defined({ conversation: findConversation(ctx.mcpReq._meta) }),
      signal: ctx.mcpReq.signal,
      ...(observe ? { observe } : {}),
    }),
  );
  const agent = reply.caller?.agent ?? '';
  const knownSession = given.session ?? context.knownSessions?.get(agent);
  const { sessionId } = reply.envelope._meta;
  if (sessionId) context.knownSessions?.set(agent, sessionId);
  return toToolResult(await withCalls(context.app, reply, given), knownSession);
}

/** Returns the conversation that the metadata of a request names. */
function findConversation(meta: Record<string, unknown> | undefined): Call['conversation'] {
  for (const { name, requestKeys = [] } of agentClients)
    for (const key of requestKeys) {
      const id = meta?.[key];
      if (typeof id === 'string' && id !== '') return { client: name, id };
    }
  return undefined;
}

const createErrorReply = ({ app: { platform } }: McpContext, command: string, problem: string): { envelope: Envelope } => ({
  envelope: createFailure(
    { command, timestamp: platform.now(), version: platform.version },
    new CleoError('E_INVALID_INPUT', { problem, fix: 'cleo help' }),
  ),
});

/** Converts an answer to a tool result. An error of an operation is a result too, not an error of the protocol. Some clients give the
 *  text to the model and others the structured content, so both are the same. */
function toToolResult(envelope: Envelope, knownSession?: string): CallToolResult {
  const { answer, omitted } = toLeanAnswer(envelope, knownSession);
  const text = JSON.stringify(answer);
  // Clients parse the answer before a model reads it, so escapes of JSON would not be seen.
  const shown =
    escapeInvisible(text) === text
      ? text
      : JSON.stringify(answer, (_, value) => (typeof value === 'string' ? escapeInvisible(value) : value));
  return {
    content: [{ type: 'text', text: shown }],
    structuredContent: shown === text ? answer : JSON.parse(shown),
    ...(envelope.success ? {} : { isError: true }),
    _meta: { 'cleo/envelope': omitted },
  };
}
