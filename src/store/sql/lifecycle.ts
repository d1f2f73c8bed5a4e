import type { Changes } from '#core/model/audit.ts';
import type { StageName, StageStatus } from '#planning/model/lifecycle.ts';
import type { LifecycleReads, LifecycleWrites } from '../port-orchestration.ts';
import { type Db, sql } from './sql.ts';
import { present } from './task-rows.ts';

export function lifecycleReads(db: Db): LifecycleReads {
  return {
    async stages(epicId) {
      const found = await db.all(sql`
        select stage, status, agent_id, at, reason, provenance from lifecycle_stages where epic_id = ${epicId}`);
      return found.map((row) => ({
        stage: row.stage as StageName,
        status: row.status as StageStatus,
        by: String(row.agent_id),
        at: String(row.at),
        ...present('reason', row.reason as string | null),
        ...present('provenance', row.provenance as string | null),
      }));
    },
  };
}

export function lifecycleWrites(db: Db, changes: Changes): LifecycleWrites {
  return {
    async put(epicId, { stage, status, by, at, reason, provenance }) {
      await db.run(sql`
        insert into lifecycle_stages (epic_id, stage, status, agent_id, at, reason, provenance)
        values (${epicId}, ${stage}, ${status}, ${by}, ${at}, ${reason}, ${provenance})
        on conflict (epic_id, stage) do update set status = excluded.status, agent_id = excluded.agent_id, at = excluded.at,
          reason = excluded.reason, provenance = excluded.provenance`);
      if (!changes.updated.includes(epicId)) changes.updated.push(epicId);
    },
  };
}
