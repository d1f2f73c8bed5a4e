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
export const createLazyWrites = (db: Db, stamp: Stamp, changes: Changes) => ({
  sessions: createSessionWrites(db, changes),
  tokens: createTokenWrites(db, changes),
  health: createHealthWrites(db),
  spawns: createSpawnWrites(db, changes),
  gates: createGateWrites(db, changes),
  lifecycle: createLifecycleWrites(db, changes),
  workgraphs: createWorkGraphWrites(db),
  releases: createReleaseWrites(db, changes),
  docs: createDocWrites(db, stamp, changes),
  nexus: createNexusWrites(db, changes),
});
