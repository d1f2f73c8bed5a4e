import type { AuditDraft, SignEntry } from '#core/model/audit.ts';
import type { Stamp, WriteStore } from '../port/store.ts';
import { appendAudit } from './admin/audit-writes.ts';
import { createJobWrites, createKeyWrites } from './admin/jobs-and-idempotency.ts';
import { withLazyMethods } from './lazy.ts';
import { createReadStore } from './read-store.ts';
import { createSessionReads } from './sessions/reads.ts';
import type { Db } from './sql.ts';
import { createClaimWrites } from './tasks/claim-writes.ts';
import { createClaimReads } from './tasks/claims.ts';
import { createRankRefresher, type RankRefresher } from './tasks/rank-refresher.ts';
import { createTaskReads } from './tasks/reads.ts';
import { createTaskWrites } from './tasks/writes.ts';

/** Runs the work of a mutation with a store that is valid for one transaction, and brings up to date what is derived from its writes. */
export async function runWrite<T>(
  db: Db,
  stamp: Stamp,
  work: (store: WriteStore) => Promise<T>,
  more: Pick<WriteStore, 'ahead'> = {},
): Promise<T> {
  const ranks = createRankRefresher(db);
  const result = await work({ ...createWriteStore(db, stamp, ranks), ...more });
  await ranks.refresh();
  return result;
}

/** Creates the store of a mutation. Whoever calls it refreshes the ranks at the end. */
function createWriteStore(db: Db, stamp: Stamp, ranks: RankRefresher): WriteStore {
  const reads = createReadStore(db);
  const changes = { created: [], updated: [], deleted: [] };
  const loadReads = async () => (await import('./lazy-reads.ts')).lazyReads;
  const loadWrites = async () => (await import('./lazy-writes.ts')).createLazyWrites(db, stamp, changes);
  return {
    ...reads,
    tasks: withLazyMethods({ ...createTaskReads(db), ...createTaskWrites(db, reads.tasks, stamp, changes, ranks) }, async () =>
      (await loadReads()).tasks(db),
    ),
    ranks: withLazyMethods({}, async () => (await import('./tasks/rank-writes.ts')).createRankWrites(db, ranks)),
    audit: withLazyMethods(
      {
        append: async (entry: AuditDraft, sign?: SignEntry) => {
          // The ranks are read together with the head of the log: on a server each wait is a round trip.
          if (!db.joinReads) return appendAudit(db, entry, sign);
          db.joinReads();
          await Promise.all([appendAudit(db, entry, sign), ranks.refresh()]);
        },
      },
      async () => (await loadReads()).audit(db),
    ),
    claims: withLazyMethods({ ...createClaimReads(db), ...createClaimWrites(db) }, async () => (await loadReads()).claims(db)),
    keys: withLazyMethods(createKeyWrites(db), async () => (await loadReads()).keys(db)),
    sessions: withLazyMethods(createSessionReads(db), async () => ({
      ...(await loadReads()).sessions(db),
      ...(await loadWrites()).sessions,
    })),
    conversations: withLazyMethods({}, async () => (await import('./sessions/conversations.ts')).createConversationWrites(db)),
    tokens: withLazyMethods({}, async () => ({ ...(await loadReads()).tokens(db), ...(await loadWrites()).tokens })),
    spawns: withLazyMethods({}, async () => ({ ...(await loadReads()).spawns(db), ...(await loadWrites()).spawns })),
    gates: withLazyMethods({}, async () => ({ ...(await loadReads()).gates(db), ...(await loadWrites()).gates })),
    lifecycle: withLazyMethods({}, async () => ({ ...(await loadReads()).lifecycle(db), ...(await loadWrites()).lifecycle })),
    health: withLazyMethods({}, async () => ({ ...(await loadReads()).health(db), ...(await loadWrites()).health })),
    jobs: createJobWrites(db),
    workgraphs: withLazyMethods({}, async () => ({ ...(await loadReads()).workgraphs(db), ...(await loadWrites()).workgraphs })),
    releases: withLazyMethods({}, async () => ({ ...(await loadReads()).releases(db), ...(await loadWrites()).releases })),
    memory: withLazyMethods({}, async () => ({
      ...(await import('./memory/reads.ts')).createMemoryReads(db),
      ...(await import('./memory/writes.ts')).createMemoryWrites(db, stamp, changes),
    })),
    nexus: withLazyMethods({}, async () => ({ ...(await loadReads()).nexus(db), ...(await loadWrites()).nexus })),
    imports: withLazyMethods({}, async () => {
      const { createImportReads, createImportWrites } = await import('./transfer/imports.ts');
      return { ...createImportReads(db), ...createImportWrites(db) };
    }),
    plan: withLazyMethods({}, async () => ({
      ...(await import('./transfer/plan-reads.ts')).createPlanReads(db),
      ...(await import('./transfer/plan-writes.ts')).createPlanWrites(db, reads.tasks, stamp, changes, ranks),
    })),
    github: withLazyMethods({}, async () => {
      const { createGithubReads, createGithubWrites } = await import('./transfer/github.ts');
      return { ...createGithubReads(db), ...createGithubWrites(db) };
    }),
    records: withLazyMethods({}, async () => {
      const { createSharedRecordReads, createSharedRecordWrites } = await import('./admin/shared-records.ts');
      return { ...createSharedRecordReads(db), ...createSharedRecordWrites(db, stamp) };
    }),
    docs: withLazyMethods({}, async () => ({ ...(await loadReads()).docs(db), ...(await loadWrites()).docs })),
    undo: withLazyMethods({}, async () => (await import('./undo/undo.ts')).createUndoWrites(db, reads.tasks, stamp, changes)),
    deletions: withLazyMethods({}, async () =>
      (await import('./tasks/deletions.ts')).createDeletionWrites(db, reads.tasks, stamp, changes, ranks),
    ),
    changes,
  };
}
