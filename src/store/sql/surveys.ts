import { auditReads } from './audit-read.ts';
import { docReads } from './docs.ts';
import { gateReads } from './gates.ts';
import { lifecycleReads } from './lifecycle.ts';
import { nexusReads } from './nexus.ts';
import { releaseReads } from './releases.ts';
import { sessionSurvey } from './sessions-survey.ts';
import { spawnReads } from './spawns-read.ts';
import type { Db } from './sql.ts';
import { taskSurvey } from './tasks-survey.ts';
import { tokenReads } from './tokens-read.ts';
import { healthReads, keyReads } from './upkeep.ts';
import { workGraphReads } from './workgraphs.ts';

/** What the everyday commands do not ask: one file more for those that do. */
export const surveys = (db: Db) => ({
  tasks: taskSurvey(db),
  sessions: sessionSurvey(db),
  audit: auditReads(db),
  tokens: tokenReads(db),
  spawns: spawnReads(db),
  keys: keyReads(db),
  health: healthReads(db),
  gates: gateReads(db),
  lifecycle: lifecycleReads(db),
  workgraphs: workGraphReads(db),
  releases: releaseReads(db),
  docs: docReads(db),
  nexus: nexusReads(db),
});
