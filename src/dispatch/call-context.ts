import { formatCommand } from '#core/command-line.ts';
import { Answer, type AnswerOptions, type BaseContext, type EventObserver, type Operation, type Registry } from '#core/define.ts';
import { CleoError } from '#core/errors/error.ts';
import { commandLine } from '#core/errors/quote.ts';
import type { Caller, Gateway } from '#core/model/audit.ts';
import type { Config } from '#core/model/config.ts';
import type { SessionHandle } from '#core/model/session-handle.ts';
import type { TokenScope } from '#core/model/token.ts';
import type { Platform, Project } from '#platform/port.ts';
import type { ReadStore, Store, StoreAdmin } from '#store/port/store.ts';
import type { Reply } from './dispatch.ts';
import { createSuccess, type Meta } from './envelope.ts';

/** Everything that was built at the start and is handed in. */
export interface App {
  platform: Platform;
  registry: Registry;
  openStore(mode: 'read' | 'write'): Promise<Store>;
  /** A project's store as a whole, at this address or where its configuration says. */
  storeAdmin(project: Project, url?: string): Promise<StoreAdmin>;
  /** Of the library in use; undefined where none can be loaded. */
  sqliteVersion(): Promise<string | undefined>;
  closeStores(): Promise<void>;
  /** The session that each agent started or resumed, in a process that serves its agents for long. */
  agentSessions?: Map<string, string>;
  /** Of somebody who only watches: its calls belong to no session, and not even grade mode logs them. */
  isObserver?: true;
  /** Told of every call and what came of it. */
  onReply?: (call: Call, reply: Reply, durationMs: number) => void;
}

export interface Call {
  operation: string;
  gateway: Gateway;
  /** The door the caller chose, where there are two: a write asked of the one that reads is never run. */
  kind?: 'query' | 'mutate';
  params: unknown;
  session?: string;
  agent?: string;
  idempotencyKey?: string;
  /** Who proved to be somebody by a token, and what it allows. */
  token?: { name: string; scope: TokenScope };
  /** The caller no longer waits for the answer. */
  signal?: AbortSignal;
  /** Is told what happens while long work goes on. */
  observe?: EventObserver;
  /** Where the surface read a parameter from, so that a command line can name it again. */
  paths?: Record<string, string>;
  /** Why the surface could not make parameters of what it was given; answered and logged like any call that does not parse. */
  inputError?: CleoError;
}

/** One call on its way through dispatch. */
export interface CallContext {
  app: App;
  call: Call;
  operation: Operation;
  caller: Caller;
  now: string;
  startedAt: number;
  /** Whether the rest is known yet: it is asked of the store, in the transaction of the call. */
  isIdentified?: boolean;
  session?: SessionHandle;
  /** The call or its surroundings named it; it was not only the one that is active. */
  isNamed?: true;
  /** The active sessions, where nothing tells which of them is meant. */
  activeSessions?: string[];
  isGraded: boolean;
  /** What the call has just cost in grade mode. */
  nudge?: string;
}

export const getNamespace = (operation: string): string => operation.slice(0, operation.indexOf('.'));

export const unwrapAnswer = (result: unknown): { result: Record<string, unknown>; options: AnswerOptions } =>
  result instanceof Answer
    ? { result: result.result as Record<string, unknown>, options: result.options }
    : { result: result as Record<string, unknown>, options: {} };

export const toStamp = ({ now, caller }: CallContext): { at: string; by: string } => ({ at: now, by: caller.agent });

/** What every operation is given; `part` is the store, where it has one. */
export function createContext(ctx: CallContext, part: object): BaseContext {
  const { app, operation, caller, now, call, session, isNamed, activeSessions } = ctx;
  const { platform, registry } = app;
  let config: Config | undefined;
  return {
    ...part,
    now,
    caller,
    gateway: call.gateway,
    ...(session ? { session } : {}),
    ...(isNamed ? { isNamed } : {}),
    ...(activeSessions ? { activeSessions } : {}),
    ...(call.token ? { token: call.token } : {}),
    ...(call.signal ? { signal: call.signal } : {}),
    ...(call.observe ? { observe: call.observe } : {}),
    platform,
    registry,
    get config(): Config {
      config ??= platform.config.load(platform.getProject());
      return config;
    },
    get project(): Project {
      return requireProject(platform);
    },
    sqliteVersion: app.sqliteVersion,
    // An address in the environment is that of this project's store, not of others.
    openProjectStore: async (of: Project) => (await app.storeAdmin(of, platform.config.load(of)['store.url'])).open('read'),
    read: async <T>(ask: (store: ReadStore) => Promise<T>): Promise<T> => (await app.openStore('read')).read(ask),
    toOutput: (result: Record<string, unknown>, more: AnswerOptions = {}) =>
      `${JSON.stringify(createSuccess(operation, createMeta(ctx), { result, options: more }))}\n`,
    commandWith: (params: Record<string, unknown>) =>
      formatCommand(operation, { ...(call.params as object), ...params }, toIdentityFlags(call), call.paths),
    commandAs: (words: string[]) => commandLine(['cleo', ...words, ...toIdentityFlags(call)]),
  };
}

/** What will stand in `_meta`; a nudge is known only when the call is over, so there is room for the longest. */
function createMeta({ operation, now, app, caller, isGraded }: CallContext): Meta {
  return {
    ...{ command: operation.name, timestamp: now, version: app.platform.version },
    ...(caller.session ? { sessionId: caller.session } : {}),
    ...(isGraded ? { nudge: '-20: a task operation before session.list; look at the sessions first, or more than that' } : {}),
  };
}

/** Who the call itself said it is; the rest a further command line of the same shell says again by itself. */
const toIdentityFlags = ({ session, agent, gateway }: Call): string[] => [
  ...(session ? ['--session', session] : []),
  ...(agent && gateway === 'cli' ? ['--agent', agent] : []),
];

export function requireProject(platform: Platform): Project {
  const project = platform.getProject();
  if (!project) throw new CleoError('E_NOT_INITIALIZED', { folder: platform.folder });
  return project;
}
