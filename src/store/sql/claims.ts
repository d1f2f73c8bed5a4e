import type { Caller, Claim } from '#core/model/audit.ts';
import type { ClaimReads, ClaimWrites } from '../port.ts';
import { chunks, type Db, inList, raw, type Sql, sql } from './sql.ts';

export function claimReads(db: Db): ClaimReads {
  return {
    async moment(now) {
      const [row] =
        db.engine === 'postgres'
          ? await db.all(sql`select ${databaseNow} as moment`)
          : await db.all(
              sql`select coalesce(max(timestamp), '') as moment from (select timestamp from audit_log order by seq desc limit 1) newest`,
            );
      const moment = String(row?.moment);
      return db.engine === 'postgres' ? moment : moment > now ? longAgo : now;
    },
    async of(taskId) {
      return (await readClaims(db, sql`where task_id = ${taskId}`))[0];
    },
    async heldBy(caller) {
      return (await readClaims(db, sql`where ${heldBy(caller)} order by session_id desc limit 1`))[0];
    },
    async among(ids) {
      const found: Claim[] = [];
      for (const some of chunks(ids, 500)) found.push(...(await readClaims(db, sql`where task_id in ${inList(some)}`)));
      return found;
    },
    inSession: (id) => readClaims(db, sql`where session_id = ${id} order by task_id`),
    adrift: () =>
      readClaims(
        db,
        raw(`where session_id <> '' and (
          exists (select 1 from sessions s where s.id = claims.session_id and s.status = 'ended')
          or (not exists (select 1 from sessions s where s.id = claims.session_id)
            and not exists (select 1 from audit_log a where a.session_id = claims.session_id))) order by task_id`),
      ),
    all: () => allClaims(db),
  };
}

export const allClaims = (db: Db): Promise<Claim[]> => readClaims(db, raw('order by task_id'));

export function claimWrites(db: Db): ClaimWrites {
  return {
    put: (claim) =>
      db.run(sql`
        insert into claims (task_id, session_id, agent_id, claimed_at, renewed_at)
        values (${claim.taskId}, ${claim.session ?? ''}, ${claim.agent}, ${claim.claimedAt}, ${leaseTime(db, claim.renewedAt)})`),
    release: (taskId) => db.run(sql`delete from claims where task_id = ${taskId}`),
    renew(caller, at) {
      return db.run(sql`update claims set renewed_at = ${leaseTime(db, at)} where ${heldBy(caller)} and renewed_at < ${leaseTime(db, at)}`);
    },
  };
}

const longAgo = '1970-01-01T00:00:00.000Z';
const databaseNow = raw(`to_char(clock_timestamp() at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`);

/** Leases are renewed by the clock that judges them, or a machine that is behind would lose its claims. */
const leaseTime = (db: Db, at: string): Sql => (db.engine === 'postgres' ? databaseNow : sql`${at}`);

async function readClaims(db: Db, which: Sql): Promise<Claim[]> {
  return (await db.all(sql`select task_id, session_id, agent_id, claimed_at, renewed_at from claims ${which}`)).map((row) => ({
    taskId: String(row.task_id),
    agent: String(row.agent_id),
    ...(row.session_id ? { session: String(row.session_id) } : {}),
    claimedAt: String(row.claimed_at),
    renewedAt: String(row.renewed_at),
  }));
}

// What an agent took outside any session stays its own when it joins one. '' keeps the pair unique in both databases, where null would not.
const heldBy = ({ session, agent }: Caller): Sql =>
  session === undefined
    ? sql`agent_id = ${agent} and session_id = ''`
    : sql`agent_id = ${agent} and (session_id = ${session} or session_id = '')`;
