import { CleoError } from '../errors/error.ts';
import type { Caller, Gateway } from '../model/audit.ts';
import type { Config } from '../model/config.ts';
import { commandFor } from '../operations/command-line.ts';
import { Answer, type Catalog, type Operation } from '../operations/define.ts';
import type { Platform, Project } from '../platform/port.ts';
import type { ReadStore, Store, StoreKeeper } from '../store/port.ts';

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
}

export interface Call {
  operation: string;
  gateway: Gateway;
  params: unknown;
  session?: string;
  agent?: string;
  idempotencyKey?: string;
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
}

export const unwrap = (result: unknown): { result: Record<string, unknown>; more: Answer<unknown>['more'] } =>
  result instanceof Answer
    ? { result: result.result as Record<string, unknown>, more: result.more }
    : { result: result as Record<string, unknown>, more: {} };

export const stampOf = ({ now, caller }: Work): { at: string; by: string } => ({ at: now, by: caller.agent });

/** What every operation is given; `part` is the store, where it has one. */
export function contextOf(work: Work, part: object): object {
  const { house, operation, caller, now, call } = work;
  const { platform, catalog } = house;
  let config: Config | undefined;
  return {
    ...part,
    now,
    caller,
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
    read: async <T>(ask: (store: ReadStore) => Promise<T>): Promise<T> => (await house.openStore('read')).read(ask),
    commandWith: (params: Record<string, unknown>) => commandFor(operation, { ...(call.params as object), ...params }),
  };
}

export function projectOf(platform: Platform): Project {
  const project = platform.project();
  if (!project) throw new CleoError('E_NOT_INITIALIZED', { folder: platform.folder });
  return project;
}
