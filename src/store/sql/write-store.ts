import type { AuditDraft } from '#core/model/audit.ts';
import type { Stamp, WriteStore } from '../port.ts';
import { appendAudit } from './audit-write.ts';
import { claimReads, claimWrites } from './claims.ts';
import { withLater } from './later.ts';
import { readStore } from './read-store.ts';
import { sessionReads } from './sessions-read.ts';
import type { Db } from './sql.ts';
import { taskReads } from './tasks-read.ts';
import { taskWrites } from './tasks-write.ts';
import { jobWrites, keyWrites } from './upkeep.ts';

/** What a mutation is given for the length of one transaction. */
export function writeStore(db: Db, stamp: Stamp): WriteStore {
  const reads = readStore(db);
  const changes = { created: [], updated: [], deleted: [] };
  const surveys = async () => (await import('./surveys.ts')).surveys(db);
  const writes = async () => (await import('./rarer-writes.ts')).rarerWrites(db, changes);
  return {
    ...reads,
    tasks: withLater({ ...taskReads(db), ...taskWrites(db, reads.tasks, stamp, changes) }, async () => (await surveys()).tasks),
    audit: withLater({ append: (entry: AuditDraft) => appendAudit(db, entry) }, async () => (await surveys()).audit),
    claims: { ...claimReads(db), ...claimWrites(db) },
    keys: withLater(keyWrites(db), async () => (await surveys()).keys),
    sessions: withLater(sessionReads(db), async () => ({ ...(await surveys()).sessions, ...(await writes()).sessions })),
    tokens: withLater({}, async () => ({ ...(await surveys()).tokens, ...(await writes()).tokens })),
    spawns: withLater({}, async () => ({ ...(await surveys()).spawns, ...(await writes()).spawns })),
    gates: withLater({}, async () => ({ ...(await surveys()).gates, ...(await writes()).gates })),
    lifecycle: withLater({}, async () => ({ ...(await surveys()).lifecycle, ...(await writes()).lifecycle })),
    jobs: jobWrites(db),
    workgraphs: withLater({}, async () => ({ ...(await surveys()).workgraphs, ...(await writes()).workgraphs })),
    releases: withLater({}, async () => ({ ...(await surveys()).releases, ...(await writes()).releases })),
    memory: withLater({}, async () => ({
      ...(await import('./memories.ts')).memoryReads(db),
      ...(await import('./memories-write.ts')).memoryWrites(db, stamp, changes),
    })),
    nexus: withLater({}, async () => ({ ...(await surveys()).nexus, ...(await writes()).nexus })),
    imports: withLater({}, async () => {
      const { importReads, importWrites } = await import('./imports.ts');
      return { ...importReads(db), ...importWrites(db) };
    }),
    docs: withLater({}, async () => ({ ...(await surveys()).docs, ...(await writes()).docs })),
    changes,
  };
}
