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
import { createLazyClaimReads } from './tasks/lazy-claims.ts';
import { createLazyTaskReads } from './tasks/lazy-reads.ts';
import { createGateReads } from './verification/gates.ts';

/** Reads that the most frequent commands do not need. They are one file of the build. */
export const lazyReads = {
  tasks: createLazyTaskReads,
  claims: createLazyClaimReads,
  sessions: createLazySessionReads,
  audit: createAuditReads,
  tokens: createTokenReads,
  spawns: createSpawnReads,
  keys: createKeyReads,
  health: createHealthReads,
  gates: createGateReads,
  lifecycle: createLifecycleReads,
  workgraphs: createWorkGraphReads,
  releases: createReleaseReads,
  docs: createDocReads,
  nexus: createNexusReads,
};
