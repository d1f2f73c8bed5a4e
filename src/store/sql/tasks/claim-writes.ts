import type { ClaimWrites } from '../../port/tasks.ts';
import { databaseNow, whereHeldBy } from '../caller-reads.ts';
import { type Db, raw, type Sql, sql } from '../sql.ts';

export function createClaimWrites(db: Db): ClaimWrites {
  return {
    insert: (claim) =>
      db.run(sql`
        insert into claims (task_id, session_id, agent_id, claimed_at, focused_at, renewed_at, process, taken_from, taken_reason)
        values (${claim.taskId}, ${claim.session ?? ''}, ${claim.agent}, ${claim.claimedAt}, ${claim.focusedAt},
          ${toLeaseTime(db, claim.renewedAt)}, ${claim.process ?? ''}, ${claim.takenFrom ?? null}, ${claim.takenReason ?? null})`),
    insertBaseline: (taskId, { head, files, at }) =>
      db.run(sql`
        insert into task_baselines (task_id, head, files, at) values (${taskId}, ${head}, ${files && JSON.stringify(files)}, ${at})
        on conflict (task_id) do nothing`),
    release: (taskId) => db.run(sql`delete from claims where task_id = ${taskId}`),
    setFocus: (taskId, at) => db.run(sql`update claims set focused_at = ${at} where task_id = ${taskId}`),
    renew(caller, at) {
      const moment = toLeaseTime(db, at);
      const process = caller.process === undefined ? raw('process') : sql`${caller.process}`;
      return db.run(sql`
        update claims set renewed_at = case when renewed_at < ${moment} then ${moment} else renewed_at end, away_at = null, process = ${process}
        where ${whereHeldBy(caller)} and (renewed_at < ${moment} or away_at is not null or process <> ${process})`);
    },
    // A claim that another process of the same agent has renewed since belongs to that process.
    markAway: (caller, at) =>
      db.run(sql`
        update claims set away_at = ${toLeaseTime(db, at)}
        where ${whereHeldBy(caller)} and process <> '' and process = ${caller.process ?? ''} and away_at is null`),
  };
}

/** Leases are renewed by the clock that they are compared with; otherwise a machine whose clock is behind loses its claims. */
const toLeaseTime = (db: Db, at: string): Sql => (db.engine === 'postgres' ? databaseNow : sql`${at}`);
