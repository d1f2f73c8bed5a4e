import type { Caller, Claim } from '../../model/audit.ts';
import type { ClaimReads, ClaimWrites } from '../port.ts';
import { type Db, inList, type Sql, sql } from './sql.ts';

export function claimReads(db: Db): ClaimReads {
  return {
    async of(taskId) {
      return (
        await readClaims(db, sql`select task_id, session_id, agent_id, claimed_at, renewed_at from claims where task_id = ${taskId}`)
      )[0];
    },
    async heldBy(caller) {
      const { session, agent } = holder(caller);
      return (
        await readClaims(
          db,
          sql`select task_id, session_id, agent_id, claimed_at, renewed_at from claims where session_id = ${session} and agent_id = ${agent}`,
        )
      )[0];
    },
    async among(ids) {
      if (ids.length === 0) return [];
      const all = await readClaims(
        db,
        sql`select task_id, session_id, agent_id, claimed_at, renewed_at from claims where task_id in ${inList(ids)}`,
      );
      return all;
    },
    all: () => readClaims(db, sql`select task_id, session_id, agent_id, claimed_at, renewed_at from claims order by task_id`),
  };
}

export function claimWrites(db: Db): ClaimWrites {
  return {
    put: (claim) =>
      db.run(sql`
        insert into claims (task_id, session_id, agent_id, claimed_at, renewed_at)
        values (${claim.taskId}, ${claim.session ?? ''}, ${claim.agent}, ${claim.claimedAt}, ${claim.renewedAt})`),
    release: (taskId) => db.run(sql`delete from claims where task_id = ${taskId}`),
    renew(caller, at) {
      const { session, agent } = holder(caller);
      return db.run(sql`update claims set renewed_at = ${at} where session_id = ${session} and agent_id = ${agent} and renewed_at < ${at}`);
    },
  };
}

export async function readClaims(db: Db, query: Sql): Promise<Claim[]> {
  return (await db.all(query)).map((row) => ({
    taskId: String(row.task_id),
    agent: String(row.agent_id),
    ...(row.session_id ? { session: String(row.session_id) } : {}),
    claimedAt: String(row.claimed_at),
    renewedAt: String(row.renewed_at),
  }));
}

// Outside a session the holder is the agent alone; '' keeps the pair unique in both databases, where null would not.
const holder = (caller: Caller): { session: string; agent: string } => ({ session: caller.session ?? '', agent: caller.agent });
