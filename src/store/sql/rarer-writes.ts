import type { Changes } from '#core/model/audit.ts';
import { docWrites } from './docs-write.ts';
import { gateWrites } from './gates.ts';
import { lifecycleWrites } from './lifecycle.ts';
import { nexusWrites } from './nexus.ts';
import { releaseWrites } from './releases.ts';
import { sessionWrites } from './sessions-write.ts';
import { spawnWrites } from './spawns-write.ts';
import type { Db } from './sql.ts';
import { tokenWrites } from './tokens-write.ts';
import { workGraphWrites } from './workgraphs.ts';

/** What the everyday commands do not write. */
export const rarerWrites = (db: Db, changes: Changes) => ({
  sessions: sessionWrites(db, changes),
  tokens: tokenWrites(db, changes),
  spawns: spawnWrites(db, changes),
  gates: gateWrites(db, changes),
  lifecycle: lifecycleWrites(db, changes),
  workgraphs: workGraphWrites(db),
  releases: releaseWrites(db, changes),
  docs: docWrites(db, changes),
  nexus: nexusWrites(db, changes),
});
