import type { Changes } from '#core/model/audit.ts';
import type { Stamp } from '../port/store.ts';
import { createHealthWrites } from './admin/health-writes.ts';
import { createTokenWrites } from './admin/token-writes.ts';
import { createDocWrites } from './documents/writes.ts';
import { createNexusWrites } from './nexus/depends.ts';
import { createSpawnWrites } from './orchestration/spawn-writes.ts';
import { createLifecycleWrites } from './planning/lifecycle.ts';
import { createWorkGraphWrites } from './planning/workgraphs.ts';
import { createReleaseWrites } from './release/releases.ts';
import { createSessionWrites } from './sessions/writes.ts';
import type { Db } from './sql.ts';
import { createGateWrites } from './verification/gates.ts';

/** Writes that the most frequent commands do not need. */
export const lazyWrites = {
  sessions: (db: Db, _stamp: Stamp, changes: Changes) => createSessionWrites(db, changes),
  tokens: (db: Db, _stamp: Stamp, changes: Changes) => createTokenWrites(db, changes),
  health: (db: Db) => createHealthWrites(db),
  spawns: (db: Db, _stamp: Stamp, changes: Changes) => createSpawnWrites(db, changes),
  gates: (db: Db, _stamp: Stamp, changes: Changes) => createGateWrites(db, changes),
  lifecycle: (db: Db, _stamp: Stamp, changes: Changes) => createLifecycleWrites(db, changes),
  workgraphs: (db: Db) => createWorkGraphWrites(db),
  releases: (db: Db, _stamp: Stamp, changes: Changes) => createReleaseWrites(db, changes),
  docs: (db: Db, stamp: Stamp, changes: Changes) => createDocWrites(db, stamp, changes),
  nexus: (db: Db, _stamp: Stamp, changes: Changes) => createNexusWrites(db, changes),
};
