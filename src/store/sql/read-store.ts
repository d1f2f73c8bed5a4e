import type { ReadStore } from '../port/store.ts';
import { createLoader, createParts, withLazyMethods } from './lazy.ts';
import { createSessionReads } from './sessions/reads.ts';
import type { Db } from './sql.ts';
import { createClaimReads } from './tasks/claims.ts';
import { createTaskReads } from './tasks/reads.ts';

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
