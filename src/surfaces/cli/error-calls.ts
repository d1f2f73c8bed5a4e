import { safeParse } from 'valibot';
import { type GatewayCall, toGatewayCall } from '#core/errors/catalog.ts';
import { AgentId } from '#core/model/scalars.ts';
import { type App, type Call, type Envelope, isValidShape, type Reply } from '#dispatch/dispatch.ts';
import { defined } from '#lib/collections.ts';
import { parseShellWords } from '#lib/shell-words.ts';
import { listAllCommands } from './all-commands.ts';
import { findCommand, parseArguments } from './arguments.ts';
import { findMisspelling } from './misspelling.ts';

/** The call that was answered: its parameters fill those that a command line reads from a file. */
export type FailedCallOrigin = Partial<Pick<Call, 'params' | 'session' | 'agent'>>;

type Commands = Pick<App, 'registry'>;

/** A longer call would repeat a document that the client has just sent. */
const maxCallBytes = 8192;

/** Adds to an answer the gateway call of its fix and of its alternatives. Without a call, `details.manual` says what to do instead. */
export async function addCalls(
  app: Commands,
  { envelope, error }: Pick<Reply, 'envelope' | 'error'>,
  origin: FailedCallOrigin,
): Promise<Envelope> {
  if (envelope.success)
    return isSteps(envelope.alternatives)
      ? { ...envelope, alternatives: await addStepCalls(app, envelope, envelope.alternatives, origin) }
      : envelope;
  const { code, exitCode, message, fix, alternatives, details } = envelope.error as ErrorFields;
  const call = details?.manual ? undefined : (error?.call ?? (await toCall(app, envelope, fix, origin)));
  const isTooLong = call && JSON.stringify(call).length > maxCallBytes;
  const manual = isTooLong ? formatChanges(call, origin) : call || details?.manual ? undefined : `Run in a shell: ${fix}`;
  return {
    ...envelope,
    error: defined({
      code,
      exitCode,
      message,
      fix,
      call: isTooLong ? undefined : call,
      alternatives: alternatives && (await addStepCalls(app, envelope, alternatives, origin)),
      details: manual ? { ...details, manual } : details,
    }),
  };
}

interface Step {
  command: string;
}

interface ErrorFields {
  code: string;
  exitCode: number;
  message: string;
  fix: string;
  alternatives?: Step[];
  details?: Record<string, unknown>;
}

const isSteps = (value: unknown): value is Step[] => Array.isArray(value) && value.every((step) => typeof step?.command === 'string');

const addStepCalls = (app: Commands, envelope: Envelope, steps: Step[], origin: FailedCallOrigin): Promise<object[]> =>
  Promise.all(
    steps.map(async (step) => {
      const call = await toCall(app, envelope, step.command, origin);
      return call && JSON.stringify(call).length <= maxCallBytes ? { ...step, call } : step;
    }),
  );

/** Names the parameters that a long call changes, so that the client can repeat its own call. */
function formatChanges({ params }: GatewayCall, origin: FailedCallOrigin): string {
  const given = (origin.params ?? {}) as Record<string, unknown>;
  const changed = Object.entries(params as object).filter(([name, value]) => JSON.stringify(value) !== JSON.stringify(given[name]));
  return `Send the same call with ${JSON.stringify(Object.fromEntries(changed)).slice(0, 1000)} in its parameters`;
}

/** Parses a command line with the commands and flags of the CLI into the call of a gateway. Returns undefined for a line that is not an
 *  operation: a process, another program, or content that only the shell has. */
export async function toCall(
  app: Commands,
  { _meta }: Pick<Envelope, '_meta'>,
  line: string,
  origin: FailedCallOrigin,
): Promise<GatewayCall | undefined> {
  const words = parseShellWords(line) ?? [];
  const [, namedAgent] = /^CLEO_AGENT_ID=(.+)$/.exec(words[0] ?? '') ?? [];
  const [program, ...argv] = namedAgent ? words.slice(1) : words;
  if (program !== 'cleo') return undefined;
  const found = findCommand(await listAllCommands(app), argv, findMisspelling);
  if ('group' in found || 'nothing' in found)
    return toGatewayCall('admin.help', 'query', 'group' in found ? { operation: found.group } : {});
  if ('unknown' in found || 'process' in found.entry) return undefined;
  const operation = await found.entry.load();
  const { params, sources, globals, error } = parseArguments(operation, found.rest);
  const given = _meta.command === operation.name ? ((origin.params ?? {}) as Record<string, unknown>) : {};
  for (const { name } of sources) if (given[name] !== undefined) params[name] = given[name];
  if (error || !isValidShape(operation, params)) return undefined;
  return {
    ...toGatewayCall(operation.name, operation.kind, params),
    ...defined({
      session: globals.session ?? getSession(operation.name, _meta.exitCode, origin),
      agent: globals.agent ?? namedAgent ?? getAgent(operation.name, origin),
      idempotencyKey: globals.idempotencyKey,
    }),
  };
}

/** Repeats the session of the caller, unless the error is that this session cannot be used (exit codes 31 and 36). */
function getSession(name: string, exitCode: number | undefined, { session }: FailedCallOrigin): string | undefined {
  return /^(admin|session)\./.test(name) || exitCode === 31 || exitCode === 36 || !isId(session) ? undefined : session;
}

/** Repeats the agent of the caller, so that the next call has the same identity. */
const getAgent = (name: string, { agent }: FailedCallOrigin): string | undefined =>
  name === 'admin.help' || !isId(agent) ? undefined : agent;

const isId = (id: string | undefined): id is string => id !== undefined && safeParse(AgentId, id).success;
