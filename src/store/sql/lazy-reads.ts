import { createAuditReads } from './admin/audit-reads.ts';
import { createHealthReads, createKeyReads } from './admin/jobs-and-idempotency.ts';
import { createTokenReads } from './admin/token-reads.ts';
import { createDocReads } from './documents/reads.ts';
import { createNexusReads } from './nexus/depends.ts';
import { createSpawnReads } from './orchestration/spawn-reads.ts';
import { createLifecycleReads } from './planning/lifecycle.ts';
import { createWorkGraphReads } from './planning/workgraphs.ts';
import { createReleaseReads } from './release/releases.ts';
import { createLazySessionReads } from './sessions/lazy-reads.ts';
import type { Db } from './sql.ts';
import { createLazyClaimReads } from './tasks/lazy-claims.ts';
import { createLazyTaskReads } from './tasks/lazy-reads.ts';
import { createGateReads } from './verification/gates.ts';

/** Reads that the most frequent commands do not need. They are one file of the build. */
export const createLazyReads = (db: Db) => ({
  tasks: createLazyTaskReads(db),
  claims: createLazyClaimReads(db),
  sessions: createLazySessionReads(db),
  audit: createAuditReads(db),
  tokens: createTokenReads(db),
  spawns: createSpawnReads(db),
  keys: createKeyReads(db),
  health: createHealthReads(db),
  gates: createGateReads(db),
  lifecycle: createLifecycleReads(db),
  workgraphs: createWorkGraphReads(db),
  releases: createReleaseReads(db),
  docs: createDocReads(db),
  nexus: createNexusReads(db),
});
