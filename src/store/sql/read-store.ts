import type { ReadStore } from '../port/store.ts';
import { createClaimReads, createSessionReads } from './caller-reads.ts';
import type { Db } from './sql.ts';
import { createTaskReads } from './tasks/reads.ts';

/** Returns a function that loads a module. Once it is loaded, the function returns it without a promise. */
export function createLoader<M>(load: () => Promise<M>): () => M | Promise<M> {
  let loaded: M | undefined;
  return () =>
    loaded ??
    load().then((module) => {
      loaded = module;
      return module;
    });
}

/** Adds methods to `ready` whose code is loaded when the first of them is called. */
export function withLazyMethods<R extends object, M, L extends object>(
  ready: R,
  load: () => M | Promise<M>,
  create: (module: M) => L,
): R & L {
  let created: L | undefined;
  return new Proxy(ready, {
    get(known, name) {
      // `await` looks for a method `then` on the object itself.
      if (name in known || name === 'then' || typeof name === 'symbol') return Reflect.get(known, name);
      const findMethod = (module: M) => {
        created ??= create(module);
        return Reflect.get(created, name) as (...args: unknown[]) => unknown;
      };
      const module = load();
      return module instanceof Promise ? async (...args: unknown[]) => findMethod(await module)(...args) : findMethod(module);
    },
  }) as R & L;
}

/** Creates an object whose parts are created when they are used for the first time: a transaction uses few parts of its store. */
export function createParts<T extends object, C>(create: { [K in keyof T]: (context: C) => T[K] }, context: C): T {
  return new Proxy({} as T, {
    get(known, name) {
      const key = name as keyof T;
      known[key] ??= create[key]?.(context);
      return known[key];
    },
  });
}

/** Creates the store of a query, valid for one transaction. */
export const createReadStore = (db: Db, ahead?: ReadStore['ahead']): ReadStore =>
  createParts<ReadStore, ReadContext>(readParts, { db, ahead });

interface ReadContext {
  db: Db;
  ahead: ReadStore['ahead'];
}

export const loadLazyReads = createLoader(async () => (await import('./lazy-reads.ts')).lazyReads);
const loadRanks = createLoader(() => import('./tasks/rank-reads.ts'));
const loadSearch = createLoader(() => import('./search/reads.ts'));
const loadMemory = createLoader(() => import('./memory/reads.ts'));
const loadImports = createLoader(() => import('./transfer/imports.ts'));
const loadPlan = createLoader(() => import('./transfer/plan-reads.ts'));
const loadGithub = createLoader(() => import('./transfer/github.ts'));
const loadRecords = createLoader(() => import('./admin/shared-records.ts'));

type RareReads = Exclude<keyof Awaited<ReturnType<typeof loadLazyReads>>, 'tasks' | 'claims' | 'sessions'>;

/** Creates a part all of whose methods are rare. */
const createRareReads =
  <K extends RareReads>(name: K) =>
  ({ db }: ReadContext): ReadStore[K] =>
    withLazyMethods({}, loadLazyReads, (reads) => reads[name](db) as object) as ReadStore[K];

export const readParts: { [K in keyof ReadStore]-?: (context: ReadContext) => ReadStore[K] } = {
  ahead: ({ ahead }) => ahead,
  tasks: ({ db }) => withLazyMethods(createTaskReads(db), loadLazyReads, ({ tasks }) => tasks(db)),
  ranks: ({ db }) => withLazyMethods({}, loadRanks, ({ createRankReads }) => createRankReads(db)),
  search: ({ db }) => withLazyMethods({}, loadSearch, ({ createSearchReads }) => createSearchReads(db)),
  audit: createRareReads('audit'),
  claims: ({ db }) => withLazyMethods(createClaimReads(db), loadLazyReads, ({ claims }) => claims(db)),
  sessions: ({ db }) => withLazyMethods(createSessionReads(db), loadLazyReads, ({ sessions }) => sessions(db)),
  keys: createRareReads('keys'),
  tokens: createRareReads('tokens'),
  spawns: createRareReads('spawns'),
  health: createRareReads('health'),
  gates: createRareReads('gates'),
  lifecycle: createRareReads('lifecycle'),
  workgraphs: createRareReads('workgraphs'),
  releases: createRareReads('releases'),
  memory: ({ db }) => withLazyMethods({}, loadMemory, ({ createMemoryReads }) => createMemoryReads(db)),
  docs: createRareReads('docs'),
  nexus: createRareReads('nexus'),
  imports: ({ db }) => withLazyMethods({}, loadImports, ({ createImportReads }) => createImportReads(db)),
  plan: ({ db }) => withLazyMethods({}, loadPlan, ({ createPlanReads }) => createPlanReads(db)),
  github: ({ db }) => withLazyMethods({}, loadGithub, ({ createGithubReads }) => createGithubReads(db)),
  records: ({ db }) => withLazyMethods({}, loadRecords, ({ createSharedRecordReads }) => createSharedRecordReads(db)),
};
