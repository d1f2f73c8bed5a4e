import type { ReadStore } from '../port.ts';
import { auditReads } from './audit-read.ts';
import { claimReads } from './claims.ts';
import { searchReads } from './search-read.ts';
import { sessionReads } from './sessions-read.ts';
import type { Db } from './sql.ts';
import { taskReads } from './tasks-read.ts';
import { tokenReads } from './tokens-read.ts';
import { healthReads, keyReads } from './upkeep.ts';

/** What a query is given for the length of one transaction. */
export function readStore(db: Db): ReadStore {
  return {
    tasks: taskReads(db),
    search: searchReads(db),
    audit: auditReads(db),
    claims: claimReads(db),
    sessions: sessionReads(db),
    keys: keyReads(db),
    tokens: tokenReads(db),
    health: healthReads(db),
  };
}
