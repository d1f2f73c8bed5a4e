import type { Stamp, WriteStore } from '../port.ts';
import { appendAudit } from './audit-write.ts';
import { claimReads, claimWrites } from './claims.ts';
import { gateWrites } from './gates.ts';
import { lifecycleWrites } from './lifecycle.ts';
import { searchReads } from './search-read.ts';
import { sessionReads } from './sessions-read.ts';
import { sessionWrites } from './sessions-write.ts';
import { spawnWrites } from './spawns-write.ts';
import type { Db } from './sql.ts';
import { surveys } from './surveys.ts';
import { taskReads } from './tasks-read.ts';
import { taskWrites } from './tasks-write.ts';
import { tokenWrites } from './tokens-write.ts';
import { jobWrites, keyWrites } from './upkeep.ts';

/** What a mutation is given for the length of one transaction. */
export function writeStore(db: Db, stamp: Stamp): WriteStore {
  const rarer = surveys(db);
  const tasks = { ...taskReads(db), ...rarer.tasks };
  const changes = { created: [], updated: [], deleted: [] };
  return {
    tasks: { ...tasks, ...taskWrites(db, tasks, stamp, changes) },
    search: searchReads(db),
    audit: { ...rarer.audit, append: (entry) => appendAudit(db, entry) },
    claims: { ...claimReads(db), ...claimWrites(db) },
    sessions: { ...sessionReads(db), ...rarer.sessions, ...sessionWrites(db, changes) },
    keys: { ...rarer.keys, ...keyWrites(db) },
    tokens: { ...rarer.tokens, ...tokenWrites(db, changes) },
    spawns: { ...rarer.spawns, ...spawnWrites(db, changes) },
    health: rarer.health,
    gates: { ...rarer.gates, ...gateWrites(db, changes) },
    lifecycle: { ...rarer.lifecycle, ...lifecycleWrites(db, changes) },
    jobs: jobWrites(db),
    changes,
  };
}
