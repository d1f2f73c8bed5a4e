import { CleoError } from '#core/errors/error.ts';
import { isSameMajor } from '#core/rules/server-address.ts';
import { mayActAs, toAgentName, toTokenAgent } from '#core/rules/token-agent.ts';
import { includesScope } from '#core/rules/token-scope.ts';
import { defined } from '#lib/collections.ts';
import type { Platform } from '#platform/port.ts';
import type { EnvironmentIdentity } from '#sessions/model/caller-identity.ts';
import { type ClientCall, ClientCallSchema, LeaseCallSchema } from '#sessions/model/client-call.ts';
import '#store/errors.ts';
import { safeParse } from 'valibot';
import type { TokenIdentity } from '../authenticate.ts';
import { type App, type Call, FactsMissing, requireProject } from '../call-context.ts';
import { createNameError } from '../check-name.ts';
import { dispatch, type Reply } from '../dispatch.ts';
import { markAway, renewLease } from '../lease.ts';
import { rebuildError } from './error-fields.ts';
import type { ClientAnswer, NeededFact } from './server-answer.ts';

/** A request of a cleo client. */
export interface ClientRequest {
  operation: string;
  body: unknown;
  token: TokenIdentity;
  version: string | undefined;
  signal?: AbortSignal;
}

/** Runs the call of a client as if it were made in the client's own process: with its agent, session, processes and gateway. Only the scope
 *  and the name come from the token. */
export async function answerClient(
  app: App,
  request: ClientRequest,
): Promise<{ answer: ClientAnswer | { needs: NeededFact[] }; reply?: Reply }> {
  const message = parseMessage(ClientCallSchema, request.body);
  checkClient(app.platform, request.version, message.project);
  const {
    caller,
    agent,
    session,
    gateway,
    kind,
    idempotencyKey,
    conversation,
    paths,
    warnings,
    params,
    facts = [],
    observeError,
    part,
  } = message;
  const identity = limitIdentity(request.token, caller.identity, agent);
  const sessions = caller.sessions && new Map(Object.entries(caller.sessions));
  // An operation that is declared to run on the server, such as doctor, reports on the server.
  const operation = await app.registry.find(request.operation)?.load();
  let exported: ClientAnswer['exported'];
  const platform: Platform = {
    ...app.platform,
    caller: { agent: identity.agent, ...defined({ session: caller.session }) },
    identity,
    grade: { isEnabled: caller.grade.isEnabled, id: caller.grade.id },
    token: undefined,
    ...(operation?.runsOn === 'server' ? {} : hideCheckout(app.platform, request.operation)),
    validatorSecret: caller.validatorSecret,
    loadProcesses: async () => {
      const own = await app.platform.loadProcesses();
      return { ...own, findClientProcess: () => caller.process, ...(caller.host ? { getHost: () => caller.host! } : {}) };
    },
    exportSession: (id, isGraded) => {
      exported = { session: id, isGraded };
    },
  };
  const call: Call = {
    operation: request.operation,
    gateway,
    params,
    token: limitToken(request.token, message),
    clientFacts: { facts, receivedMs: app.platform.monotonicMs(), ...defined({ version: request.version }) },
    ...(observeError ? { observeError: rebuildError(observeError) } : {}),
    ...(part ? { part: { ...part, attempt: message.attempt } } : {}),
    ...defined({ kind, agent, session, idempotencyKey, conversation, paths, warnings, signal: request.signal }),
    ...(message.isOwnKey && message.attempt === 1 ? { isNewKey: true as const } : {}),
  };
  const own: App = { ...app, platform, ...defined({ agentSessions: sessions, isObserver: message.isObserver }) };
  let reply: Reply;
  try {
    reply = await dispatch(own, call);
  } catch (error) {
    if (!(error instanceof FactsMissing)) throw error;
    return { answer: { needs: error.requests.map(({ observation: { name }, request }) => ({ name, request })) } };
  }
  const answer = defined({
    envelope: reply.envelope,
    caller: reply.caller,
    sessions: sessions && Object.fromEntries(sessions),
    exported,
    call: reply.error?.call,
    apply: reply.apply,
    part: reply.part,
  });
  return { answer, reply };
}

/** The server has a checkout too, but it is not the one that the caller means: an operation that would use it fails. */
function hideCheckout(platform: Platform, operation: string) {
  const refuse = async (): Promise<never> => {
    throw new CleoError('E_STORE_BEHIND_SERVER', { operation, server: 'this address', command: 'cleo help' });
  };
  return {
    findWorkingTree: refuse,
    findFile: refuse,
    readHead: refuse,
    runProgram: refuse,
    createRunner: refuse,
    skills: { ...platform.skills, load: refuse },
  } satisfies Partial<Platform>;
}

/** Renews the claims of a caller that is connected to a client, or marks it as away. Returns the time until the next renewal is due. */
export async function answerLease(app: App, { body, token, version }: Omit<ClientRequest, 'operation'>): Promise<number | undefined> {
  const { state, caller, project } = parseMessage(LeaseCallSchema, body);
  checkClient(app.platform, version, project);
  if (!mayActAs(token, caller.agent)) throw createNameError(token, caller.agent);
  if (state === 'renew') return renewLease(app, defined(caller));
  await markAway(app, defined(caller));
  return undefined;
}

function parseMessage<S extends typeof ClientCallSchema | typeof LeaseCallSchema>(schema: S, body: unknown) {
  const parsed = safeParse(schema, body);
  if (parsed.success) return parsed.output;
  const field = parsed.issues[0].path?.map(({ key }) => key).join('.') ?? 'body';
  throw new CleoError('E_VALIDATION', { field, problem: parsed.issues[0].message, fix: 'cleo version' });
}

/** Rejects a client of another major version, and one that means another project. */
export function checkClient(platform: Platform, version: string | undefined, project: string | undefined): void {
  if (version !== undefined && !isSameMajor(version, platform.version))
    throw new CleoError('E_SERVER_VERSION', { server: 'this address', found: platform.version, own: version });
  const own = platform.config.load(requireProject(platform))['project.key'];
  if (project !== undefined && project !== own)
    throw new CleoError('E_CONFIG_ERROR', {
      path: 'server.project',
      problem: `is ${project}, but this server has the project ${own}`,
      fix: 'cleo config get server.project',
    });
}

/** An agent does not get the scope of the person whose token it found in its environment. */
function limitToken(token: TokenIdentity, { caller, gateway, agent }: ClientCall): NonNullable<Call['token']> {
  const { identity } = caller;
  const mark =
    gateway !== 'cli'
      ? 'MCP'
      : agent !== undefined
        ? `--agent ${agent}`
        : identity.kind === 'named'
          ? `CLEO_AGENT_ID=${identity.agent}`
          : (caller.mark ?? (identity.kind === 'person' ? undefined : (identity.client ?? identity.agent)));
  const isLimited = mark !== undefined && includesScope(token.scope, 'decide');
  return { ...token, isClient: true, ...(isLimited ? { scope: 'mutate', mark } : {}) };
}

/** Returns the identity under which a token acts. A name that the caller chose must be the token's own or below it; any other is placed
 *  below it. A person acts as the token. */
function limitIdentity(
  token: TokenIdentity,
  { nested, client, kind, agent }: ClientCall['caller']['identity'],
  named: string | undefined,
): EnvironmentIdentity {
  for (const chosen of [named, kind === 'named' ? agent : undefined])
    if (chosen !== undefined && !mayActAs(token, chosen)) throw createNameError(token, chosen);
  const limit = (identity: { kind: EnvironmentIdentity['kind']; agent: string; client?: string | undefined }): EnvironmentIdentity => ({
    kind: identity.kind,
    agent: identity.kind === 'person' && !mayActAs(token, identity.agent) ? toAgentName(token) : toTokenAgent(token, identity.agent),
    ...defined({ client: identity.client }),
  });
  return { ...limit({ kind, agent, client }), ...defined({ nested: nested?.map(limit) }) };
}
