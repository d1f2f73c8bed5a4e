import { formatCommand } from '#core/command-line.ts';
import {
  Answer,
  type AnswerOptions,
  type BaseContext,
  type EventObserver,
  type Operation,
  type Registry,
  type ScopeRequest,
  type StoreStep,
} from '#core/define.ts';
import { commandLine } from '#core/errors/catalog.ts';
import { CleoError } from '#core/errors/error.ts';
import { agentIdPattern, agentIdProblem } from '#core/model/agent-id.ts';
import type { Caller, Gateway, Principal, SignEntry } from '#core/model/audit.ts';
import type { Config } from '#core/model/config.ts';
import type { SessionHandle } from '#core/model/session-handle.ts';
import type { CallToken, PersonScope, TokenIdentity, TokenScope } from '#core/model/token.ts';
import type { FactRequest, Observation } from '#core/observation.ts';
import { includesScope } from '#core/rules/token-scope.ts';
import { defined } from '#lib/collections.ts';
import type { Platform, Project } from '#platform/port.ts';
import type { CallPart } from '#sessions/model/client-call.ts';
import { chooseSession, type SessionReference } from '#sessions/rules/caller.ts';
import type { ReadStore, Stamp, Store, StoreAdmin, WriteStore } from '#store/port/store.ts';
import { applyAliases, createSuccess, type Meta, type Reply } from './dispatch.ts';
import type { LogFeed } from './feed/log-feed.ts';
import type { PartAnswer } from './remote/server-answer.ts';

/** Everything that `main` builds and passes to dispatch. */
export interface App {
  platform: Platform;
  registry: Registry;
  openStore(mode: 'read' | 'write'): Promise<Store>;
  /** True if the store is on a server that this process has not connected to yet. */
  wouldConnect(): boolean;
  /** True if the store is one that several machines share, and this process opens it. */
  hasSharedStore(): boolean;
  /** True if the store is behind a cleo server, to which calls are sent. False in a project whose configuration is not valid. */
  usesServer(): boolean;
  /** Administers a project's store as a whole, at `url` or at the configured address. */
  storeAdmin(project: Project, url?: string): Promise<StoreAdmin>;
  /** The version of the SQLite library; undefined if it cannot be loaded. */
  sqliteVersion(): Promise<string | undefined>;
  /** Returns the date of a time in the time zone of this process. */
  toLocalDay(at: string): string;
  closeStores(): Promise<void>;
  /** Returns the feed of new entries of the log, which all readers of this process share. */
  getLogFeed(): Promise<LogFeed>;
  /** The session that each agent last started or resumed, in a long-running process. */
  agentSessions?: Map<string, string>;
  /** What was done before the call, for the warnings of its answer. */
  notices?: string[];
  /** Calls only read: they belong to no session, and grade mode does not log them. */
  isObserver?: true;
  /** Signs an entry of the log as it is appended, on a server. */
  signEntry?: SignEntry;
  /** Runs work outside the store. It also rejects if an exception escapes from a callback or a timer that `work` has started. */
  guard?: <T>(work: () => Promise<T>) => Promise<T>;
  /** Called after every call with its reply. */
  onReply?: (call: Call, reply: Reply, durationMs: number) => void;
}

export interface Call {
  operation: string;
  gateway: Gateway;
  /** The gateway that the caller chose. A write through the query gateway is never run. */
  kind?: 'query' | 'mutate';
  params: unknown;
  session?: string;
  agent?: string;
  idempotencyKey?: string;
  /** The client chose the key, and sends the call for the first time: nothing can be stored under it. */
  isNewKey?: true;
  /** The conversation of the client, if the request names it. */
  conversation?: { client: string; id: string };
  token?: CallToken;
  /** The web page makes the call, as the principal that started the server. The passphrase is what a person typed in the page. */
  page?: { isPerson: boolean; passphrase?: string };
  /** The facts that the client of this server observed. The server never observes its own checkout for such a call. */
  clientFacts?: { facts: ClientFact[]; receivedMs: number; version?: string };
  /** The client could not observe what the call needs. */
  observeError?: CleoError;
  /** The operation runs on the client of this server, which asks for a part of it. */
  part?: CallPart & { attempt: number };
  /** Aborted when the caller stops waiting for the answer. */
  signal?: AbortSignal;
  /** The call waits for work, and there is some: it writes at once, without a read before. */
  isWoken?: true;
  /** The call has waited for work and gets what it finds now. */
  hasWaited?: true;
  /** Receives the events of a job while it runs. */
  observe?: EventObserver;
  /** Clears the line that shows the elapsed time, before a person is asked on the same terminal. */
  beforeAsk?: () => void;
  /** The files that the surface read parameters from, so that a suggested command can name them. */
  paths?: Record<string, string>;
  /** Warnings of the surface about its input, which the answer repeats. */
  warnings?: string[];
  /** The error of a surface that could not parse its input. It is answered and logged like any other invalid call. */
  inputError?: CleoError;
}

/** Thrown by `requireScope`: dispatch asks for the proof outside the transaction and runs the operation again. */
export class ScopeRequired extends Error {
  readonly scope: PersonScope;
  readonly request: ScopeRequest;
  constructor(scope: PersonScope, request: ScopeRequest) {
    super(`scope ${scope} is required`);
    this.scope = scope;
    this.request = request;
  }
}

/** Thrown by `getFacts`: dispatch observes `requests` outside the transaction and runs the operation again. */
export class FactsMissing extends Error {
  readonly requests: FactRequest[];
  constructor(requests: FactRequest[]) {
    super();
    this.requests = requests;
  }
}

/** Facts of a client, with their request. */
export interface ClientFact {
  name: string;
  request?: unknown;
  facts?: unknown;
}

/** The state of one call in dispatch. */
export interface CallContext {
  app: App;
  call: Call;
  operation: Operation;
  caller: Caller;
  /** The client process of an agent that is named outright, for the log. */
  clientProcess?: string;
  now: string;
  startedAt: number;
  /** The parameters are valid. */
  isParsed?: true;
  /** Set once the session is looked up, which happens in the transaction of the call. */
  isIdentified?: boolean;
  /** The call is in the log already, together with what it stored. */
  isLogged?: true;
  /** The query has appended its line to a file. */
  hasAppendedLine?: true;
  /** The settings of the shared store were read for this call. */
  hasSharedSettings?: true;
  /** The settings that `getConfig` has read. */
  config?: Config | undefined;
  session?: SessionHandle;
  /** The call or its environment named the session; otherwise it is the session of the agent. */
  isNamed?: true;
  /** The active sessions, if the call belongs to none of them. */
  activeSessions?: string[];
  /** All of `activeSessions` are the agent's own, and the call does not say which one it means. */
  isAmbiguous?: true;
  isGraded: boolean;
  /** The points that the call has just lost in grade mode. */
  nudge?: string;
  /** The input that a client passes to its hook or status line; it names the conversation. */
  hookInput?: unknown;
  /** The scope that the caller has proved in this call, and how. */
  granted?: TokenScope;
  proof?: Pick<Principal, 'via' | 'token' | 'evidence'>;
  /** The facts that are observed, by their request. */
  facts?: Map<string, ClientFact>;
  /** What the client of this server has to write. */
  clientApply?: Record<string, unknown>;
  /** Sends a step to the server in front of the store, if the operation runs on its client. */
  sendStep?: (step: StoreStep, params: unknown) => Promise<unknown>;
  /** The token of this client, as its server knows it. */
  ownToken?: Pick<TokenIdentity, 'name' | 'agent'>;
  /** What the client of this server gets for its part of the operation. */
  partAnswer?: PartAnswer;
  /** The server has logged the failure of the call and completed its fix. */
  isAnsweredByServer?: true;
  /** The operation ran and was rolled back, because it needed facts. */
  hasRun?: true;
  /** Requests of the present run that are not observed yet. */
  missingFacts?: FactRequest[];
  /** Warnings about the caller, which the answer repeats. */
  warnings?: string[];
  /** Facts of the operation that the log stores with the parameters. */
  logParams?: Record<string, unknown>;
}

export const getNamespace = (operation: string): string => operation.slice(0, operation.indexOf('.'));

/** Runs work with programs and files, from whose callbacks an exception can escape. Callbacks of the store belong to its connections, not to
 *  a call. */
export const runGuarded = <T>({ app }: CallContext, work: () => Promise<T>): Promise<T> => (app.guard ? app.guard(work) : work());

export const unwrapAnswer = (result: unknown): { result: Record<string, unknown>; options: AnswerOptions } =>
  result instanceof Answer
    ? { result: result.result as Record<string, unknown>, options: result.options }
    : { result: result as Record<string, unknown>, options: {} };

/** The agent may become known only in the transaction, so it is read when it is needed. */
export const toStamp = (ctx: CallContext): Stamp => ({
  at: ctx.now,
  operation: ctx.operation.name,
  get by() {
    return ctx.caller.agent;
  },
});

/** Returns the settings of the project. A call reads them once: each time takes two looks at files. */
export function getConfig(ctx: CallContext): Config {
  const { platform } = ctx.app;
  ctx.config ??= platform.config.load(platform.getProject());
  return ctx.config;
}

/** Creates the context of an operation. `part` holds its store, if it has one. */
export function createContext(ctx: CallContext, part: object): BaseContext {
  const { app, operation, caller, now, call, session, isNamed, activeSessions, isAmbiguous } = ctx;
  const { platform, registry } = app;
  let today: string | undefined;
  // They are first: V8 needs ten times as long to add accessors to an object that has other properties.
  const accessors = {
    get today(): string {
      today ??= app.toLocalDay(now);
      return today;
    },
    get config(): Config {
      return getConfig(ctx);
    },
    get project(): Project {
      return requireProject(platform);
    },
  };
  return Object.assign(accessors, part, {
    now,
    caller,
    gateway: call.gateway,
    ...defined({ session, isNamed, activeSessions, isAmbiguous, observed: ctx.facts, isClient: ctx.sendStep && (true as const) }),
    ...defined({ token: call.token, conversation: call.conversation, signal: call.signal, observe: call.observe }),
    platform,
    registry,
    sqliteVersion: app.sqliteVersion,
    hasSharedStore: app.hasSharedStore,
    // An address in the environment is for this project's store only.
    openProjectStore: async (other: Project) => (await app.storeAdmin(other, platform.config.load(other)['store.url'])).open('read'),
    read: async <T>(work: (store: ReadStore) => Promise<T>): Promise<T> => (await app.openStore('read')).read(work),
    toOutput: (result: Record<string, unknown>, options: AnswerOptions = {}) =>
      `${JSON.stringify(createSuccess(operation, createMeta(ctx), { result, options }))}\n`,
    commandWith: (params: Record<string, unknown>) =>
      formatCommand(
        operation,
        { ...applyAliases(call.params as object, operation.paramAliases), ...params },
        toIdentityFlags(call),
        call.paths,
      ),
    getFacts: async <Q, F>(observation: Observation<Q, F>, request: Q): Promise<F> =>
      (await import('./observe.ts')).getFacts(ctx, observation, request),
    runStep: async <P, R>(step: StoreStep<P, R>, params: P): Promise<R> => (await import('./run-step.ts')).runStep(ctx, part, step, params),
    requireScope(scope: PersonScope, request: ScopeRequest) {
      if (!includesScope(ctx.granted ?? call.token?.scope ?? 'mutate', scope)) throw new ScopeRequired(scope, request);
    },
    ...defined({ proof: ctx.proof ?? toTokenProof(call) }),
    describePrincipal: async () => (await import('./log.ts')).toPrincipal(ctx),
    mayHaveScope: async (scope: PersonScope) => (await import('./authorize.ts')).mayHaveScope(ctx, scope),
    commandAs: (words: string[]) => commandLine(['cleo', ...words, ...toIdentityFlags(call)]),
  });
}

/** A token that may decide stands for the person who created it. */
const toTokenProof = ({ token }: Call): CallContext['proof'] =>
  token && includesScope(token.scope, 'decide') ? { via: 'token', token: token.name } : undefined;

/** Creates `_meta` for measuring an answer. A nudge is known only after the call, so the longest one is assumed. */
function createMeta({ operation, now, app, caller, isGraded }: CallContext): Meta {
  const nudge = isGraded ? '-20: a task operation before session.list; look at the sessions first, or more than that' : undefined;
  return defined({ command: operation.name, timestamp: now, version: app.platform.version, sessionId: caller.session, nudge });
}

/** Returns the identity flags of the call. The environment supplies the rest to the next command of the same shell. */
const toIdentityFlags = ({ session, agent, gateway }: Call): string[] => [
  ...(session ? ['--session', session] : []),
  ...(agent && gateway === 'cli' ? ['--agent', agent] : []),
];

/** Rejects an agent, session or idempotency key that is not a valid id. */
export function checkId(field: string, id: string | undefined): void {
  if (id !== undefined && !agentIdPattern.test(id))
    throw new CleoError('E_VALIDATION', { field, problem: agentIdProblem, fix: 'cleo help' });
}

/** Rejects a project folder that is not the user's own. */
export async function checkFolder({ app: { platform }, operation }: CallContext): Promise<void> {
  const project = platform.getProject();
  if (project && !operation.acceptsUntrusted) await platform.requireFolder(project);
}

export function requireProject(platform: Platform): Project {
  const project = platform.getProject();
  if (!project) throw new CleoError('E_NOT_INITIALIZED', { folder: platform.folder, root: platform.root });
  return project;
}

/** Looks up the session of the call, and whether it is graded, inside the transaction. On a shared store the settings of the project are
 *  read with the same round trip. */
export async function identify(ctx: CallContext, reads: ReadStore, writes?: WriteStore): Promise<void> {
  // Only a store on a server has `ahead`.
  if (!reads.ahead || ctx.hasSharedSettings) return identifyCaller(ctx, reads, writes);
  const { loadSharedSettings } = await import('./shared-settings.ts');
  await Promise.all([identifyCaller(ctx, reads, writes), loadSharedSettings(ctx.app.platform, reads)]);
  ctx.hasSharedSettings = true;
  ctx.config = undefined;
}

/** Requests the reads of `identify`. */
export function readIdentityAhead(ctx: CallContext, reads: ReadStore): Promise<unknown>[] {
  return [
    ...(ctx.isIdentified || ctx.app.isObserver ? [] : [reads.sessions.findCandidates(ctx.caller.agent, getNamedSession(ctx)?.id)]),
    ...(ctx.hasSharedSettings ? [] : [reads.records.listSettings()]),
  ];
}

/** It runs once for each call. */
async function identifyCaller(ctx: CallContext, reads: ReadStore, writes?: WriteStore): Promise<void> {
  if (ctx.isIdentified || ctx.app.isObserver) return;
  ctx.isIdentified = true;
  if (isResolvedByStore(ctx, !!writes)) await (await import('./resolve-agent.ts')).resolveAgent(ctx, reads, writes);
  const { call, caller, operation } = ctx;
  const named = getNamedSession(ctx);
  const choice = chooseSession(await reads.sessions.findCandidates(caller.agent, named?.id), named);
  const session = 'session' in choice ? choice.session : 'inactive' in choice && isAboutSessions(operation) ? choice.inactive : undefined;
  const id = session?.id ?? ('tag' in choice ? choice.tag : call.session);
  ctx.caller = { ...caller, ...(id ? { session: id } : {}) };
  if (session) ctx.session = session;
  if (session && session.id === named?.id) ctx.isNamed = true;
  if (session?.isGraded && session.status === 'active') ctx.isGraded = true;
  const active = 'ambiguous' in choice ? choice.ambiguous : 'others' in choice ? choice.others : [];
  if (active.length > 0) ctx.activeSessions = active;
  if ('ambiguous' in choice) {
    ctx.isAmbiguous = true;
    if (operation.dependsOnSession) throw (await import('./write.ts')).createAmbiguityError(ctx);
  }
  if ('unknown' in choice && operation.needs === 'store') {
    const { createSessionNotFoundError } = await import('#sessions/operations/shared/sessions.ts');
    throw await createSessionNotFoundError(reads, choice.unknown);
  }
}

/** Returns true if the environment alone does not identify the agent. A person's call, and a read from the shell of a conversation,
 *  are identified by the environment. */
export function isResolvedByStore(ctx: CallContext, isWrite: boolean): boolean {
  const { kind } = ctx.app.platform.identity;
  return kind === 'mark' || (kind === 'conversation' && isWrite) || !!ctx.app.agentSessions || namesConversation(ctx);
}

/** Returns true if the request or the input of a hook names the conversation. */
export const namesConversation = ({ call, hookInput }: CallContext): boolean => !!(call.conversation || hookInput);

/** Looks up the session for an operation that does not need a store. Without a readable store the call has no session. Help,
 *  the version and calls with invalid parameters do not connect to a server for it. */
export async function identifyQuietly(ctx: CallContext): Promise<void> {
  const { app, call } = ctx;
  ctx.caller = { ...ctx.caller, ...(call.session ? { session: call.session } : {}) };
  if (!app.platform.getProject()) return;
  try {
    if ((ctx.operation.needs === 'nothing' || !ctx.isParsed) && app.wouldConnect()) return;
    await (await app.openStore('read')).read((reads) => identify(ctx, reads));
  } catch (error) {
    if (!(error instanceof CleoError)) throw error;
  }
}

/** Only operations on sessions accept a session that is not active: they show it or resume it. */
const isAboutSessions = (operation: Operation): boolean => getNamespace(operation.name) === 'session';

/** Returns the session that the call names, else the agent's session in this process, else the one in the environment. */
function getNamedSession({ app, call, caller }: CallContext): SessionReference | undefined {
  if (call.session) return { id: call.session, by: 'call' };
  const id = app.agentSessions?.get(caller.agent) ?? app.platform.caller.session;
  return id === undefined ? undefined : { id, by: 'environment' };
}
