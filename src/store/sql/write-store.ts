import type { Stamp, WriteStore } from '../port.ts';
import { appendAudit } from './audit-write.ts';
import { claimWrites } from './claims.ts';
import { readStore } from './read-store.ts';
import { sessionWrites } from './sessions-write.ts';
import type { Db } from './sql.ts';
import { taskWrites } from './tasks-write.ts';
import { tokenWrites } from './tokens-write.ts';
import { jobWrites, keyWrites } from './upkeep.ts';

/** What a mutation is given for the length of one transaction. */
export function writeStore(db: Db, stamp: Stamp): WriteStore {
  const reads = readStore(db);
  const changes = { created: [], updated: [], deleted: [] };
  return {
    ...reads,
    tasks: { ...reads.tasks, ...taskWrites(db, reads.tasks, stamp, changes) },
    audit: { ...reads.audit, append: (entry) => appendAudit(db, entry) },
    claims: { ...reads.claims, ...claimWrites(db) },
    sessions: { ...reads.sessions, ...sessionWrites(db, changes) },
    keys: { ...reads.keys, ...keyWrites(db) },
    tokens: { ...reads.tokens, ...tokenWrites(db, changes) },
    jobs: jobWrites(db),
    changes,
  };
}
