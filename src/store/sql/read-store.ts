import type { ReadStore } from '../port/store.ts';
import { withLazyMethods } from './lazy.ts';
import { createSessionReads } from './sessions/reads.ts';
import type { Db } from './sql.ts';
import { createClaimReads } from './tasks/claims.ts';
import { createTaskReads } from './tasks/reads.ts';

/** Creates the store of a query, valid for one transaction. */
export function createReadStore(db: Db): ReadStore {
  const loadReads = async () => (await import('./lazy-reads.ts')).lazyReads;
  return {
    tasks: withLazyMethods(createTaskReads(db), async () => (await loadReads()).tasks(db)),
    ranks: withLazyMethods({}, async () => (await import('./tasks/rank-reads.ts')).createRankReads(db)),
    search: withLazyMethods({}, async () => (await import('./search/reads.ts')).createSearchReads(db)),
    audit: withLazyMethods({}, async () => (await loadReads()).audit(db)),
    claims: withLazyMethods(createClaimReads(db), async () => (await loadReads()).claims(db)),
    sessions: withLazyMethods(createSessionReads(db), async () => (await loadReads()).sessions(db)),
    keys: withLazyMethods({}, async () => (await loadReads()).keys(db)),
    tokens: withLazyMethods({}, async () => (await loadReads()).tokens(db)),
    spawns: withLazyMethods({}, async () => (await loadReads()).spawns(db)),
    health: withLazyMethods({}, async () => (await loadReads()).health(db)),
    gates: withLazyMethods({}, async () => (await loadReads()).gates(db)),
    lifecycle: withLazyMethods({}, async () => (await loadReads()).lifecycle(db)),
    workgraphs: withLazyMethods({}, async () => (await loadReads()).workgraphs(db)),
    releases: withLazyMethods({}, async () => (await loadReads()).releases(db)),
    memory: withLazyMethods({}, async () => (await import('./memory/reads.ts')).createMemoryReads(db)),
    docs: withLazyMethods({}, async () => (await loadReads()).docs(db)),
    nexus: withLazyMethods({}, async () => (await loadReads()).nexus(db)),
    imports: withLazyMethods({}, async () => (await import('./transfer/imports.ts')).createImportReads(db)),
    plan: withLazyMethods({}, async () => (await import('./transfer/plan-reads.ts')).createPlanReads(db)),
    github: withLazyMethods({}, async () => (await import('./transfer/github.ts')).createGithubReads(db)),
    records: withLazyMethods({}, async () => (await import('./admin/shared-records.ts')).createSharedRecordReads(db)),
  };
}
