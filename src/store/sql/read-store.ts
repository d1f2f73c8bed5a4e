import type { ReadStore } from '../port.ts';
import { claimReads } from './claims.ts';
import { withLater } from './later.ts';
import { searchReads } from './search-read.ts';
import { sessionReads } from './sessions-read.ts';
import type { Db } from './sql.ts';
import { taskReads } from './tasks-read.ts';

/** What a query is given for the length of one transaction. */
export function readStore(db: Db): ReadStore {
  const rarer = async () => (await import('./surveys.ts')).surveys(db);
  return {
    tasks: withLater(taskReads(db), async () => (await rarer()).tasks),
    search: searchReads(db),
    audit: withLater({}, async () => (await rarer()).audit),
    claims: claimReads(db),
    sessions: withLater(sessionReads(db), async () => (await rarer()).sessions),
    keys: withLater({}, async () => (await rarer()).keys),
    tokens: withLater({}, async () => (await rarer()).tokens),
    spawns: withLater({}, async () => (await rarer()).spawns),
    health: withLater({}, async () => (await rarer()).health),
    gates: withLater({}, async () => (await rarer()).gates),
    lifecycle: withLater({}, async () => (await rarer()).lifecycle),
    workgraphs: withLater({}, async () => (await rarer()).workgraphs),
    releases: withLater({}, async () => (await rarer()).releases),
    memory: withLater({}, async () => (await import('./memories.ts')).memoryReads(db)),
    docs: withLater({}, async () => (await rarer()).docs),
    nexus: withLater({}, async () => (await rarer()).nexus),
    imports: withLater({}, async () => (await import('./imports.ts')).importReads(db)),
  };
}
