import type { Operation } from '#core/define.ts';
import type { GatewayCall } from '#core/errors/catalog.ts';
import { CleoError } from '#core/errors/error.ts';
import { anonymousToken } from '#core/model/anonymous-token.ts';
import type { Caller } from '#core/model/audit.ts';
import type { RecordCall } from '#core/model/record-call.ts';
import type { ServerAnswer, ServerConnection, TextParts } from '#core/model/server-connection.ts';
import type { FactRequest } from '#core/observation.ts';
import { isSameMajor } from '#core/rules/server-address.ts';
import { defined, isPlainObject } from '#lib/collections.ts';
import { parseJson } from '#lib/parse-json.ts';
import type { Platform } from '#platform/port.ts';
import type { ClientCall, ClientCaller, LeaseCall } from '#sessions/model/client-call.ts';
import '#store/errors.ts';
import { safeParse } from 'valibot';
import type { TokenIdentity } from '../authenticate.ts';
import { findAgentMark, formatPersonCommand } from '../authorize.ts';
import { type App, type CallContext, createContext, isResolvedByStore } from '../call-context.ts';
import { type Envelope, type Reply, readParams } from '../dispatch.ts';
import { type ErrorFields, rebuildError, toErrorFields } from './error-fields.ts';
import { createBehindServerError, locateServer, type ServerLocation } from './locate-server.ts';
import { type ClientAnswer, type NeededFact, readAnswer } from './server-answer.ts';

/** Sends a call to the server in front of the store and returns its reply. Parameters are parsed here first, so that an invalid call sends
 *  nothing. */
export async function sendCall(ctx: CallContext): Promise<Reply> {
  const { shares } = ctx.operation;
  if (!shares) return callOperation(ctx);
  return (await import('../share-records.ts')).withRecordsOfServer(ctx, shares, () => callOperation(ctx));
}

async function callOperation(ctx: CallContext): Promise<Reply> {
  const { app, call, operation } = ctx;
  const params = await checkParams(ctx);
  const server = await locateServer(app.platform);
  if (operation.runsOn === 'both') throw createBehindServerError(app.platform, operation, await formatPersonCommand(ctx, params));
  const isWrite = operation.kind !== 'query';
  const message = await createMessage(ctx, server);
  if (isWrite && message.idempotencyKey === undefined)
    Object.assign(message, { idempotencyKey: createRequestKey(app.platform), isOwnKey: true });
  const requests = operation.observeFirst?.(params as never) ?? [];
  if (requests.length > 0) await addFacts(ctx, message, requests);
  const texts = await takeLongTexts(ctx, message);
  let sentMs = app.platform.monotonicMs();
  for (;;) {
    const sent = await post(app.platform, server, `/api/call/${operation.name}`, message, { isWrite, signal: call.signal, texts });
    if (texts && sent.status === 415) {
      const problem = 'the server is older and does not accept texts of more than 4 MiB';
      throw new CleoError('E_SERVER_VERSION', { server: server.url, found: 'an older version', own: app.platform.version, problem });
    }
    const answer = readAnswer(sent, server.url);
    if ('envelope' in answer) {
      checkKnown(ctx, server.url, answer.envelope);
      if (!answer.apply || (await applyAnswer(ctx, message, params, answer.apply))) return toReply(app, operation, answer, server);
      continue;
    }
    // A call that waited for work is asked again for what may have changed since.
    if (app.platform.monotonicMs() - sentMs > minWaitMs) message.facts = [];
    await addFacts(ctx, message, toFactRequests(ctx, server, answer.needs, message.facts));
    sentMs = app.platform.monotonicMs();
  }
}

/** Takes the texts that are too long for the message out of it. They are sent after it, in parts. */
async function takeLongTexts({ operation, call }: CallContext, message: ClientCall): Promise<TextParts[] | undefined> {
  if (operation.maxBodyBytes === undefined) return undefined;
  const { findLongTexts } = await import('#core/model/text-frames.ts');
  const found = findLongTexts(call.params);
  if (found.length === 0) return undefined;
  Object.assign(message, { texts: found.map(({ path }) => path) });
  return found.map(({ text }) => text);
}

/** A key that the client chooses, so that it can repeat a request whose answer was lost. */
export const createRequestKey = (platform: Platform): string => `client-${platform.randomHex(32)}`;

/** Creates the message of a call, which describes its caller. */
export async function createMessage(ctx: CallContext, server: ServerLocation): Promise<ClientCall> {
  const { app, call, operation } = ctx;
  const { agent, session, conversation, paths, warnings, kind, idempotencyKey, params } = call;
  return {
    params,
    gateway: call.gateway as ClientCall['gateway'],
    ...defined({ agent, session, conversation, paths, warnings, kind, idempotencyKey, project: server.project }),
    ...(app.isObserver ? { isObserver: app.isObserver } : {}),
    attempt: 1,
    caller: await describeCaller(ctx, operation.kind !== 'query'),
  };
}

/** Throws if the server does not have the operation or the path: it is an older version. */
export function checkKnown({ app, operation }: CallContext, server: string, { _meta, error }: Envelope): void {
  if ((error as ErrorFields | undefined)?.code !== 'E_INVALID_OPERATION') return;
  const problem = `the server is older and does not know ${operation.name} as this client calls it`;
  throw new CleoError('E_SERVER_VERSION', { server, found: _meta.version ?? '', own: app.platform.version, problem });
}

/** Observes facts in this checkout and adds them to the message. A failure is sent to the server, which logs and returns it as that of
 *  the call. */
async function addFacts(ctx: CallContext, message: ClientCall, requests: FactRequest[]): Promise<void> {
  const { observeAll } = await import('../observe.ts');
  try {
    message.facts = [
      ...(message.facts ?? []),
      ...(await observeAll(ctx, requests)).map((fact) => ({ request: undefined, facts: undefined, ...fact })),
    ];
  } catch (error) {
    if (!(error instanceof CleoError) || message.observeError) throw error;
    message.observeError = toErrorFields(error);
  }
}

/** Writes what the answer contains in this checkout. A failure is sent to the server, which logs and returns it as that of the call;
 *  then the result is false. */
async function applyAnswer(
  ctx: CallContext,
  message: ClientCall,
  params: Record<string, unknown>,
  data: Record<string, unknown>,
): Promise<boolean> {
  try {
    await ctx.operation.apply?.(createContext(ctx, {}) as never, params as never, data);
    return true;
  } catch (error) {
    if (!(error instanceof CleoError) || message.observeError) throw error;
    message.observeError = toErrorFields(error);
    return false;
  }
}

/** Finds what the server asks for among the observations of the operation. A server that asks for what it has would ask for ever. */
function toFactRequests(
  { operation, app }: CallContext,
  { url }: ServerLocation,
  needs: NeededFact[],
  sent: ClientCall['facts'] = [],
): FactRequest[] {
  return needs.map(({ name, request }) => {
    const observation = operation.observes?.find((each) => each.name === name);
    const parsed = observation && !observation.isByCaller ? safeParse(observation.request, request) : undefined;
    const isSent = sent.some((fact) => fact.name === name && JSON.stringify(fact.request) === JSON.stringify(parsed?.output));
    if (!observation || !parsed?.success || isSent || sent.length > maxSentFacts)
      throw new CleoError('E_SERVER_VERSION', {
        server: url,
        found: 'another version',
        own: app.platform.version,
        problem: `the server asks for ${name.slice(0, 50)}, which this client does not observe`,
      });
    return { observation, request: parsed.output };
  });
}

const maxSentFacts = 1000;
/** A server asks again only for facts that are older than this. */
const minWaitMs = 10_000;

/** Renews the claims of a caller, or marks it as away, through the server. Returns the time until the next renewal is due. */
export async function sendLease({ platform }: App, state: LeaseCall['state'], caller: Caller): Promise<number | undefined> {
  const server = await locateServer(platform);
  const message = { state, caller, ...defined({ project: server.project }) };
  const answer = await post(platform, server, '/api/lease', message, { isWrite: false });
  if (answer.status >= 400) throw readError(answer, server.url);
  return (parseJson(answer.text) as { dueMs?: number }).dueMs;
}

/** Sends a request about shared records. Undefined if those of the server are not shared. */
export async function sendRecords({ platform }: App, call: Omit<RecordCall, 'project'>): Promise<unknown> {
  const server = await locateServer(platform);
  const isWrite = call.request.action === 'save' || call.request.action === 'remove';
  const answer = await post(platform, server, '/api/records', { ...call, ...defined({ project: server.project }) }, { isWrite });
  if (answer.status < 400) return (parseJson(answer.text) as { records?: unknown }).records;
  const error = readError(answer, server.url);
  // A server of before has its records in files.
  if (error.row === 'E_INVALID_OPERATION') return undefined;
  throw error;
}

function readError(answer: ServerAnswer, url: string): CleoError {
  const read = readAnswer(answer, url);
  return 'envelope' in read ? toError(read.envelope) : new CleoError('E_GENERAL_ERROR', { problem: 'the server asked for facts' });
}

/** Asks the server for the token of this environment; undefined if the server does not know it. */
export async function readServerToken({ platform }: App): Promise<TokenIdentity | undefined> {
  const server = await locateServer(platform);
  const { status, text } = await post(platform, server, '/api/token', {}, { isWrite: false });
  const { name, scope } = (status === 200 ? parseJson(text) : {}) as Partial<TokenIdentity>;
  return name !== undefined && name !== anonymousToken && scope ? { name, scope } : undefined;
}

/** Throws for parameters that cannot be valid. Ids of other tools are known to the server only, so a call with one is sent as it is. */
async function checkParams(ctx: CallContext): Promise<Record<string, unknown>> {
  const { call, operation } = ctx;
  const given = call.params as Record<string, unknown>;
  if (operation.hookInput) ctx.hookInput = given[operation.hookInput];
  let mayHaveAlias = false;
  try {
    const { params } = await readParams(operation, call.params, call, async () => {
      mayHaveAlias = (await import('../resolve-aliases.ts')).mayHaveAliases(operation, call.params);
      return undefined;
    });
    ctx.isParsed = true;
    return params;
  } catch (error) {
    if (!mayHaveAlias || !(error instanceof CleoError)) throw error;
    return given;
  }
}

/** Describes the caller as its environment and its processes do. The process table is read only if the server needs it. */
async function describeCaller(ctx: CallContext, isWrite: boolean): Promise<ClientCaller> {
  const { app, call, operation } = ctx;
  const { platform, agentSessions } = app;
  const { identity, grade, validatorSecret } = platform;
  const needsProcess = isWrite || isResolvedByStore(ctx, false);
  const processes = needsProcess ? await platform.loadProcesses() : undefined;
  const process = processes?.findClientProcess(call.gateway !== 'cli');
  const host = operation.observes ? processes?.getHost() : undefined;
  const mayBePerson = operation.scope !== undefined && call.gateway === 'cli' && identity.kind === 'person' && platform.token !== undefined;
  const { kind, agent, client, nested } = identity;
  return {
    identity: { kind: kind === 'shared' ? 'person' : kind, agent, ...defined({ client, nested: nested as never }) },
    grade: { isEnabled: grade.isEnabled && !app.isObserver, ...defined({ id: grade.id }) },
    ...defined({ session: platform.caller.session, process, host, validatorSecret }),
    ...(agentSessions ? { sessions: Object.fromEntries(agentSessions) } : {}),
    ...defined({ mark: mayBePerson ? await findAgentMark(ctx) : undefined }),
  };
}

/** Connections of each platform, by address. A process may have several platforms, whose servers use the same port one after another. */
const connections = new WeakMap<Platform['connectServer'], Map<string, Promise<ServerConnection>>>();

export function connectTo({ connectServer }: Platform, url: string): Promise<ServerConnection> {
  const own = connections.get(connectServer) ?? new Map<string, Promise<ServerConnection>>();
  connections.set(connectServer, own);
  const connecting = own.get(url) ?? connectServer(url);
  own.set(url, connecting);
  return connecting;
}

export const createClientHeaders = (
  { version }: Pick<Platform, 'version'>,
  { token }: { token?: string | undefined },
): Record<string, string> => ({ 'cleo-version': version, ...(token ? { authorization: `Bearer ${token}` } : {}) });

/** Sends a message until it is answered. A server that restarts, or a proxy without one, is waited for as long as a call waits for the lock.
 *  A write that may have arrived is repeated too: its key keeps it from having a second effect. */
export async function post(
  platform: Platform,
  { url, token, busyTimeoutMs }: ServerLocation,
  path: string,
  message: object,
  { isWrite, signal, texts }: { isWrite: boolean; signal?: AbortSignal | undefined; texts?: TextParts[] | undefined },
): Promise<ServerAnswer> {
  const startedAt = platform.monotonicMs();
  const connection = await connectTo(platform, url);
  const headers = createClientHeaders(platform, { token });
  let mayBeSaved = false;
  for (let attempt = 1; ; attempt++) {
    const body = JSON.stringify({ ...message, attempt });
    const leftMs = busyTimeoutMs - (platform.monotonicMs() - startedAt);
    let problem: string;
    try {
      const timeoutMs = isWrite ? maxWriteSilenceMs : maxReadSilenceMs;
      const answer = await connection.post(path, {
        body,
        headers,
        connectTimeoutMs: Math.max(leftMs, 1000),
        timeoutMs,
        signal,
        texts,
      });
      if (![502, 503, 504].includes(answer.status) || isAnswered(answer)) return answer;
      problem = `status ${answer.status}`;
    } catch (error) {
      if (error instanceof CleoError) throw error;
      problem = (error as Error).message;
      const { wasSent, isFinal } = error as { wasSent?: boolean; isFinal?: boolean };
      if (isFinal && !mayBeSaved) throw new CleoError('E_STORE_UNREACHABLE', { address: url, problem, isServer: true });
      if (isWrite && wasSent !== false) mayBeSaved = true;
      if (signal?.aborted) throw createUnansweredError(url, 'the call was cancelled', mayBeSaved, 0);
    }
    const waitedMs = Math.round(platform.monotonicMs() - startedAt);
    const pauseMs = Math.min(50 * 2 ** attempt, 1000);
    if (waitedMs + pauseMs > busyTimeoutMs) throw createUnansweredError(url, problem, mayBeSaved, waitedMs);
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
}

/** The time that a server may be silent. A write may wait for a task, or be a long job. */
const maxReadSilenceMs = 60_000;
const maxWriteSilenceMs = 1_800_000;

const isAnswered = ({ text }: ServerAnswer): boolean => isPlainObject(parseJson(text));

const createUnansweredError = (url: string, problem: string, mayBeSaved: boolean, waitedMs: number): CleoError =>
  mayBeSaved
    ? new CleoError('E_OUTCOME_UNKNOWN', { problem: `The cleo server at ${url} did not answer: ${problem}` })
    : new CleoError('E_STORE_UNAVAILABLE', { address: url, problem, waitedMs, isServer: true });

/** Converts the answer of the server to a reply. */
function toReply(app: App, operation: Operation, answer: ClientAnswer, server: ServerLocation): Reply {
  const { envelope, caller, call } = answer;
  followServer(app, answer, server);
  return {
    envelope,
    exitCode: Number(envelope._meta.exitCode ?? 0),
    operation,
    ...(caller ? { caller } : {}),
    ...(envelope.success ? {} : { error: toError(envelope, call) }),
  };
}

/** Follows the sessions that the server started or left. Throws if it is of another major version. */
export function followServer(app: App, { envelope, sessions, exported }: ClientAnswer, server: ServerLocation): void {
  const found = envelope._meta.version;
  if (found !== undefined && !isSameMajor(found, app.platform.version))
    throw new CleoError('E_SERVER_VERSION', { server: server.url, found, own: app.platform.version });
  if (app.agentSessions && sessions) {
    app.agentSessions.clear();
    for (const [agent, session] of Object.entries(sessions)) app.agentSessions.set(agent, session);
  }
  if (exported) app.platform.exportSession(exported.session, exported.isGraded);
}

export const toError = ({ error }: Envelope, call?: GatewayCall): CleoError => rebuildError(error as ErrorFields, call);
