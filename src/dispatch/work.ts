import { commandFor } from '#core/command-line.ts';
import { Answer, type Catalog, type More, type Observe, type Operation } from '#core/define.ts';
import { CleoError } from '#core/errors/error.ts';
import { commandLine } from '#core/errors/quote.ts';
import type { Caller, Gateway } from '#core/model/audit.ts';
import type { Config } from '#core/model/config.ts';
import type { SessionHandle } from '#core/model/session-handle.ts';
import type { TokenScope } from '#core/model/token.ts';
import type { Platform, Project } from '#platform/port.ts';
import type { ReadStore, Store, StoreKeeper } from '#store/port.ts';
import type { Reply } from './dispatch.ts';
import { type Meta, success } from './envelope.ts';

/** Everything that was built at the start and is handed in. */
export interface House {
  platform: Platform;
  catalog: Catalog;
  openStore(mode: 'read' | 'write'): Promise<Store>;
  /** A project's store as a whole, at this address or where its configuration says. */
  keep(project: Project, url?: string): Promise<StoreKeeper>;
  /** Of the library in use; undefined where none can be loaded. */
  sqliteVersion(): Promise<string | undefined>;
  closeStores(): Promise<void>;
  /** The session that each agent started or resumed, in a process that serves its agents for long. */
  kept?: Map<string, string>;
  /** Of somebody who only watches: its calls belong to no session, and not even grade mode logs them. */
  looksOn?: true;
  /** Told of every call and what came of it. */
  answered?: (call: Call, reply: Reply, durationMs: number) => void;
}

export interface Call {
  operation: string;
  gateway: Gateway;
  /** The door the caller chose, where there are two: a write asked of the one that reads is never run. */
  asked?: 'query' | 'mutate';
  params: unknown;
  session?: string;
  agent?: string;
  idempotencyKey?: string;
  /** Who proved to be somebody by a token, and what it allows. */
  token?: { name: string; scope: TokenScope };
  /** The caller no longer waits for the answer. */
  signal?: AbortSignal;
  /** Is told what happens while long work goes on. */
  observe?: Observe;
  /** Where the surface read a parameter from, so that a command line can name it again. */
  paths?: Record<string, string>;
  /** Why the surface could not make parameters of what it was given; answered and logged like any call that does not parse. */
  refusal?: CleoError;
}

/** One call on its way through dispatch. */
export interface Work {
  house: House;
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
  several?: string[];
  isGraded: boolean;
  /** What the call has just cost in grade mode. */
  nudge?: string;
}

export const domainOf = (operation: string): string => operation.slice(0, operation.indexOf('.'));

export const unwrap = (result: unknown): { result: Record<string, unknown>; more: More } =>
  result instanceof Answer
    ? { result: result.result as Record<string, unknown>, more: result.more }
    : { result: result as Record<string, unknown>, more: {} };

export const stampOf = ({ now, caller }: Work): { at: string; by: string } => ({ at: now, by: caller.agent });

/** What every operation is given; `part` is the store, where it has one. */
export function contextOf(work: Work, part: object): object {
  const { house, operation, caller, now, call, session, isNamed, several } = work;
  const { platform, catalog } = house;
  let config: Config | undefined;
  return {
    ...part,
    now,
    caller,
    gateway: call.gateway,
    ...(session ? { session } : {}),
    ...(isNamed ? { isNamed } : {}),
    ...(several ? { several } : {}),
    ...(call.token ? { token: call.token } : {}),
    ...(call.signal ? { signal: call.signal } : {}),
    ...(call.observe ? { observe: call.observe } : {}),
    platform,
    catalog,
    get config(): Config {
      config ??= platform.config.load(platform.project());
      return config;
    },
    get project(): Project {
      return projectOf(platform);
    },
    sqliteVersion: house.sqliteVersion,
    // An address in the environment is that of this project's store, not of others.
    far: async (of: Project) => (await house.keep(of, platform.config.load(of)['store.url'])).open('read'),
    read: async <T>(ask: (store: ReadStore) => Promise<T>): Promise<T> => (await house.openStore('read')).read(ask),
    printed: (result: Record<string, unknown>, more: More = {}) =>
      `${JSON.stringify(success(operation, metaOf(work), { result, more }))}\n`,
    commandWith: (params: Record<string, unknown>) =>
      commandFor(operation, { ...(call.params as object), ...params }, flagsOf(call), call.paths),
    commandAs: (words: string[]) => commandLine(['cleo', ...words, ...flagsOf(call)]),
  };
}

/** What will stand in `_meta`; a nudge is known only when the call is over, so there is room for the longest. */
function metaOf({ operation, now, house, caller, isGraded }: Work): Meta {
  return {
    ...{ command: operation.name, timestamp: now, version: house.platform.version },
    ...(caller.session ? { sessionId: caller.session } : {}),
    ...(isGraded ? { nudge: '-20: a task operation before session.list; look at the sessions first, or more than that' } : {}),
  };
}

/** Who the call itself said it is; the rest a further command line of the same shell says again by itself. */
const flagsOf = ({ session, agent, gateway }: Call): string[] => [
  ...(session ? ['--session', session] : []),
  ...(agent && gateway === 'cli' ? ['--agent', agent] : []),
];

export function projectOf(platform: Platform): Project {
  const project = platform.project();
  if (!project) throw new CleoError('E_NOT_INITIALIZED', { folder: platform.folder });
  return project;
}
