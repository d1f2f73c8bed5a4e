import type { CallToolResult, ServerContext, Tool } from '@modelcontextprotocol/server';
import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import type { Registry } from '#core/define.ts';
import { CleoError } from '#core/errors/error.ts';
import { createFailure, type Envelope } from '#dispatch/envelope.ts';
import { isPlainObject } from '#lib/is-plain-object.ts';
import { callOperation, type McpContext } from './context.ts';
import { withProgress } from './progress.ts';

export const toolNames = { query: 'cleo_query', mutate: 'cleo_mutate' } as const;
type Gateway = keyof typeof toolNames;

/** The two tools. Every conversation pays for this listing: it names the everyday operations and leaves the rest to `admin.help`. */
export function createTools(catalog: Registry): Tool[] {
  return [
    createTool(catalog, 'query', 'Asks', { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false }),
    createTool(catalog, 'mutate', 'Changes', { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: false }),
  ];
}

function createTool(catalog: Registry, gateway: Gateway, verb: string, annotations: NonNullable<Tool['annotations']>): Tool {
  const text = (description: string) => ({ type: 'string' as const, description });
  return {
    name: toolNames[gateway],
    description: `${verb} CLEO: tasks, sessions and memory of this project. Everyday operations: ${listEverydayOperations(catalog, gateway)}. Parameters, and all others: ${gateway === 'query' ? '' : `${toolNames.query} `}admin.help {"operation":"tasks.show"}, or {} for the list.`,
    inputSchema: {
      type: 'object',
      properties: {
        domain: text('e.g. tasks'),
        operation: text(gateway === 'query' ? 'e.g. show' : 'e.g. add'),
        params: { type: 'object', description: 'Parameters of the operation' },
        session: text('Session id, where you have several'),
        agent: text('Your id, where several agents share this server'),
        ...(gateway === 'mutate' ? { idempotencyKey: text('The same key again has no second effect') } : {}),
      },
      required: ['domain', 'operation'],
      additionalProperties: false,
    },
    outputSchema: {
      type: 'object',
      properties: { _meta: { type: 'object' }, success: { type: 'boolean' }, error: { type: 'object' } },
      required: ['_meta', 'success'],
    },
    annotations,
  };
}

/** `tasks: add, update; session: start`: the operations of tier 0 behind this gateway, from the catalog. */
function listEverydayOperations(catalog: Registry, gateway: Gateway): string {
  const domains = new Map<string, string[]>();
  for (const { name, kind, tier } of catalog.entries) {
    if (tier > 0 || (kind === 'query') !== (gateway === 'query')) continue;
    const [domain = '', ...rest] = name.split('.');
    domains.set(domain, [...(domains.get(domain) ?? []), rest.join('.')]);
  }
  return [...domains].map(([domain, names]) => `${domain}: ${names.join(', ')}`).join('; ');
}

/** A call of a tool is a call of the operation it names; what comes back is the envelope. */
export async function callTool(desk: McpContext, name: string, input: unknown, ctx: ServerContext): Promise<CallToolResult> {
  const gateway = (Object.keys(toolNames) as Gateway[]).find((each) => toolNames[each] === name);
  if (!gateway) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Tool ${name} not found`);
  const problem = findProblem(input, gateway);
  if (problem) return toToolResult(createErrorEnvelope(desk, name, problem));
  const { domain, operation, params = {}, ...who } = input as ToolArguments;
  const { envelope } = await withProgress(ctx, desk.app.registry, `${domain}.${operation}`, (observe) =>
    callOperation(desk, {
      operation: `${domain}.${operation}`,
      gateway: toolNames[gateway],
      kind: gateway,
      params,
      ...who,
      signal: ctx.mcpReq.signal,
      ...(observe ? { observe } : {}),
    }),
  );
  return toToolResult(envelope);
}

interface ToolArguments {
  domain: string;
  operation: string;
  params?: Record<string, unknown>;
  session?: string;
  agent?: string;
  idempotencyKey?: string;
}

/** Why the arguments are no call; `params` are the operation's to judge. */
function findProblem(input: unknown, gateway: Gateway): string | undefined {
  if (!isPlainObject(input)) return 'the arguments must be an object';
  const given = input as Record<string, unknown>;
  const texts = ['domain', 'operation', 'session', 'agent', ...(gateway === 'mutate' ? ['idempotencyKey'] : [])];
  for (const name of ['domain', 'operation']) if (given[name] === undefined) return `${name} is required`;
  for (const [name, value] of Object.entries(given)) {
    if (name === 'params') continue;
    if (!texts.includes(name))
      return `${JSON.stringify(name.slice(0, 60))} is no argument of ${toolNames[gateway]}; parameters of the operation go into params`;
    if (typeof value !== 'string') return `${name} must be a text`;
  }
  return undefined;
}

const createErrorEnvelope = ({ app: { platform } }: McpContext, command: string, problem: string): Envelope =>
  createFailure(
    { command, timestamp: platform.now(), version: platform.version },
    new CleoError('E_INVALID_INPUT', { problem, fix: 'cleo help' }),
  );

/** A refusal is an answer that says so, not a failure of the protocol. */
const toToolResult = (envelope: Envelope): CallToolResult => ({
  content: [{ type: 'text', text: JSON.stringify(envelope) }],
  structuredContent: envelope,
  ...(envelope.success ? {} : { isError: true }),
});
