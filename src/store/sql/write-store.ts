import type { AuditDraft, Changes, SignEntry } from '#core/model/audit.ts';
import type { AuditWrites } from '../port/admin.ts';
import type { ReadStore, Stamp, WriteStore } from '../port/store.ts';
import { createAuditWriter, createHistoryWriter, type HistoryWriter } from './admin/audit-writes.ts';
import { createJobWrites, createKeyWrites } from './admin/jobs-and-idempotency.ts';
import { createClaimReads, createSessionReads } from './caller-reads.ts';
import { createLoader, createParts, createReadStore, loadLazyReads, readParts, withLazyMethods } from './read-store.ts';
import type { Db, SqlRow } from './sql.ts';
import { createClaimWrites } from './tasks/claim-writes.ts';
import { createRankRefresher, type RankRefresher } from './tasks/rank-refresher.ts';
import { createTaskReads } from './tasks/reads.ts';
import { createTaskWrites } from './tasks/writes.ts';

export { selectLogEnd } from './admin/audit-writes.ts';
export { readClosing } from './tasks/rank-inputs.ts';

/** Runs the work of a mutation with a store that is valid for one transaction, and brings up to date what is derived from its writes.
 *  `logEnd` are the rows of `selectLogEnd`, if they were read ahead. */
export async function runWrite<T>(
  db: Db,
  stamp: Stamp,
  work: (store: WriteStore) => Promise<T>,
  { ahead, logEnd }: Pick<WriteStore, 'ahead'> & { logEnd?: Promise<SqlRow[]> | undefined } = {},
): Promise<T> {
  const ranks = createRankRefresher(db);
  const changes: Changes = { created: [], updated: [], deleted: [] };
  const history = createHistoryWriter(db, stamp);
  const audit = createAuditWriter(db, history, logEnd);
  const context: WriteContext = { db, ahead, reads: createReadStore(db), stamp, changes, ranks, history, audit };
  const result = await work(createParts<WriteStore, WriteContext>(writeParts, context));
  await ranks.refresh();
  return result;
}

interface WriteContext {
  db: Db;
  ahead: ReadStore['ahead'];
  reads: ReadStore;
  stamp: Stamp;
  changes: Changes;
  ranks: RankRefresher;
  history: HistoryWriter;
  audit: AuditWrites;
}

const loadRankWrites = createLoader(() => import('./tasks/rank-writes.ts'));
const loadLazyWrites = createLoader(() => import('./lazy-writes.ts'));
/** Both modules of a part that reads and writes. */
const loadBoth = createLoader(async () => ({ lazyReads: await loadLazyReads(), ...(await loadLazyWrites()) }));
const loadConversations = createLoader(() => import('./sessions/conversations.ts'));
const loadMemory = createLoader(async () => ({ ...(await import('./memory/reads.ts')), ...(await import('./memory/writes.ts')) }));
const loadImports = createLoader(() => import('./transfer/imports.ts'));
const loadPlan = createLoader(async () => ({
  ...(await import('./transfer/plan-reads.ts')),
  ...(await import('./transfer/plan-writes.ts')),
}));
const loadGithub = createLoader(() => import('./transfer/github.ts'));
const loadRecords = createLoader(() => import('./admin/shared-records.ts'));
const loadUndo = createLoader(() => import('./undo/undo.ts'));
const loadDeletions = createLoader(() => import('./tasks/deletions.ts'));

type LazyPart = 'tokens' | 'spawns' | 'gates' | 'lifecycle' | 'health' | 'workgraphs' | 'releases' | 'nexus' | 'docs';

/** Creates a part all of whose methods are rare. */
const createLazyPart =
  <K extends LazyPart>(name: K) =>
  ({ db, stamp, changes }: WriteContext): WriteStore[K] =>
    withLazyMethods(
      {},
      loadBoth,
      ({ lazyReads, lazyWrites }) => ({ ...lazyReads[name](db), ...lazyWrites[name](db, stamp, changes) }) as object,
    ) as WriteStore[K];

const writeParts: { [K in keyof WriteStore]-?: (context: WriteContext) => WriteStore[K] } = {
  ...readParts,
  tasks: ({ db, reads, stamp, changes, ranks, history }) =>
    withLazyMethods(
      { ...createTaskReads(db), ...createTaskWrites(db, reads.tasks, stamp, changes, ranks, history) },
      loadLazyReads,
      ({ tasks }) => tasks(db),
    ),
  ranks: ({ db, ranks }) => withLazyMethods({}, loadRankWrites, ({ createRankWrites }) => createRankWrites(db, ranks)),
  audit: ({ db, ranks, audit }) =>
    withLazyMethods(
      {
        append: async (entry: AuditDraft, sign?: SignEntry) => {
          // The ranks are read together with the head of the log: on a server each wait is a round trip.
          if (!db.joinReads) return audit.append(entry, sign);
          db.joinReads();
          await Promise.all([audit.append(entry, sign), ranks.refresh()]);
        },
      },
      loadLazyReads,
      ({ audit }) => audit(db),
    ),
  claims: ({ db }) => withLazyMethods({ ...createClaimReads(db), ...createClaimWrites(db) }, loadLazyReads, ({ claims }) => claims(db)),
  keys: ({ db }) => withLazyMethods(createKeyWrites(db), loadLazyReads, ({ keys }) => keys(db)),
  sessions: ({ db, stamp, changes }) =>
    withLazyMethods(createSessionReads(db), loadBoth, ({ lazyReads, lazyWrites }) => ({
      ...lazyReads.sessions(db),
      ...lazyWrites.sessions(db, stamp, changes),
    })),
  conversations: ({ db }) => withLazyMethods({}, loadConversations, ({ createConversationWrites }) => createConversationWrites(db)),
  tokens: createLazyPart('tokens'),
  spawns: createLazyPart('spawns'),
  gates: createLazyPart('gates'),
  lifecycle: createLazyPart('lifecycle'),
  health: createLazyPart('health'),
  jobs: ({ db }) => createJobWrites(db),
  workgraphs: createLazyPart('workgraphs'),
  releases: createLazyPart('releases'),
  memory: ({ db, stamp, changes }) =>
    withLazyMethods({}, loadMemory, ({ createMemoryReads, createMemoryWrites }) => ({
      ...createMemoryReads(db),
      ...createMemoryWrites(db, stamp, changes),
    })),
  nexus: createLazyPart('nexus'),
  imports: ({ db }) =>
    withLazyMethods({}, loadImports, ({ createImportReads, createImportWrites }) => ({
      ...createImportReads(db),
      ...createImportWrites(db),
    })),
  plan: ({ db, reads, stamp, changes, ranks, history }) =>
    withLazyMethods({}, loadPlan, ({ createPlanReads, createPlanWrites }) => ({
      ...createPlanReads(db),
      ...createPlanWrites(db, reads.tasks, stamp, changes, ranks, history),
    })),
  github: ({ db }) =>
    withLazyMethods({}, loadGithub, ({ createGithubReads, createGithubWrites }) => ({
      ...createGithubReads(db),
      ...createGithubWrites(db),
    })),
  records: ({ db, stamp }) =>
    withLazyMethods({}, loadRecords, ({ createSharedRecordReads, createSharedRecordWrites }) => ({
      ...createSharedRecordReads(db),
      ...createSharedRecordWrites(db, stamp),
    })),
  docs: createLazyPart('docs'),
  undo: ({ db, reads, changes, history, stamp }) =>
    withLazyMethods({}, loadUndo, ({ createUndoWrites }) => createUndoWrites(db, reads.tasks, stamp, changes, history)),
  deletions: ({ db, reads, changes, ranks, history }) =>
    withLazyMethods({}, loadDeletions, ({ createDeletionWrites }) => createDeletionWrites(db, reads.tasks, changes, ranks, history)),
  changes: ({ changes }) => changes,
};
