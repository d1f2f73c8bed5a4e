import type { Changes } from '#core/model/audit.ts';
import type { StageName, StageStatus } from '#planning/model/lifecycle.ts';
import type { LifecycleReads, LifecycleWrites } from '../../port/planning.ts';
import { noteUpdate } from '../changes.ts';
import { type Db, omitNull, sql } from '../sql.ts';

export function createLifecycleReads(db: Db): LifecycleReads {
  return {
    async listStages(epicId) {
      const found = await db.all(sql`
        select stage, status, agent_id, at, reason, provenance from lifecycle_stages where epic_id = ${epicId}`);
      return found.map((row) => ({
        stage: row.stage as StageName,
        status: row.status as StageStatus,
        by: String(row.agent_id),
        at: String(row.at),
        ...omitNull({ reason: row.reason as string | null, provenance: row.provenance as string | null }),
      }));
    },
  };
}

export function createLifecycleWrites(db: Db, changes: Changes): LifecycleWrites {
  return {
    async saveStage(epicId, { stage, status, by, at, reason, provenance }) {
      await db.run(sql`
        insert into lifecycle_stages (epic_id, stage, status, agent_id, at, reason, provenance)
        values (${epicId}, ${stage}, ${status}, ${by}, ${at}, ${reason}, ${provenance})
        on conflict (epic_id, stage) do update set status = excluded.status, agent_id = excluded.agent_id, at = excluded.at,
          reason = excluded.reason, provenance = excluded.provenance`);
      noteUpdate(changes, epicId);
    },
  };
}
