import type { Caller, Claim } from '#core/model/audit.ts';
import type { ClaimReads, ClaimWrites } from '../../port/tasks.ts';
import { queryInChunks } from '../queries.ts';
import { type Db, listValues, raw, type Sql, type SqlRow, sql } from '../sql.ts';

export function createClaimReads(db: Db): ClaimReads {
  return {
    async getLeaseTime(now) {
      const [row] =
        db.engine === 'postgres'
          ? await db.all(sql`select ${databaseNow} as moment`)
          : await db.all(
              sql`select coalesce(max(timestamp), '') as moment from (select timestamp from audit_log order by seq desc limit 1) newest`,
            );
      const moment = String(row?.moment);
      return db.engine === 'postgres' ? moment : moment > now ? epoch : now;
    },
    async get(taskId) {
      return (await readClaims(db, sql`where task_id = ${taskId}`))[0];
    },
    async getHeldBy(caller) {
      return (await readClaims(db, sql`where ${whereHeldBy(caller)} ${focusFirst} limit 1`))[0];
    },
    listHeldBy: (caller) => readClaims(db, sql`where ${whereHeldBy(caller)} ${focusFirst}`),
    async getTakenFrom(holders) {
      return (await readClaims(db, sql`where taken_from in ${listValues(holders)} order by claimed_at desc limit 1`))[0];
    },
    async listForTasks(ids) {
      return (await queryInChunks(db, ids, (some) => selectClaims(sql`where task_id in ${some}`))).map(toClaim);
    },
    listForSession: (id) => readClaims(db, sql`where session_id = ${id} order by task_id`),
    findOrphaned: () =>
      readClaims(
        db,
        raw(`where session_id <> '' and (
          exists (select 1 from sessions s where s.id = claims.session_id and s.status = 'ended')
          or (not exists (select 1 from sessions s where s.id = claims.session_id)
            and not exists (select 1 from audit_log a where a.session_id = claims.session_id))) order by task_id`),
      ),
    list: () => readAllClaims(db),
  };
}

export const readAllClaims = (db: Db): Promise<Claim[]> => readClaims(db, raw('order by task_id'));

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

const epoch = '1970-01-01T00:00:00.000Z';
const databaseNow = raw(`to_char(clock_timestamp() at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`);

/** Leases are renewed by the clock that they are compared with; otherwise a machine whose clock is behind loses its claims. */
const toLeaseTime = (db: Db, at: string): Sql => (db.engine === 'postgres' ? databaseNow : sql`${at}`);

async function readClaims(db: Db, which: Sql): Promise<Claim[]> {
  return (await db.all(selectClaims(which))).map(toClaim);
}

const selectClaims = (which: Sql): Sql => sql`
  select task_id, session_id, agent_id, claimed_at, focused_at, renewed_at, process, away_at, taken_from, taken_reason from claims ${which}`;

const focusFirst = raw('order by focused_at desc, session_id desc, task_id');

const toClaim = (row: SqlRow): Claim => ({
  taskId: String(row.task_id),
  agent: String(row.agent_id),
  ...(row.session_id ? { session: String(row.session_id) } : {}),
  claimedAt: String(row.claimed_at),
  focusedAt: String(row.focused_at),
  renewedAt: String(row.renewed_at),
  ...(row.process ? { process: String(row.process) } : {}),
  ...(row.away_at ? { awayAt: String(row.away_at) } : {}),
  ...(row.taken_from ? { takenFrom: String(row.taken_from) } : {}),
  ...(row.taken_reason ? { takenReason: String(row.taken_reason) } : {}),
});

/** An agent keeps claims that it made outside any session when it joins one. Such claims have the session '', because a unique
 *  index does not compare null. */
const whereHeldBy = ({ session, agent }: Caller): Sql =>
  session === undefined
    ? sql`agent_id = ${agent} and session_id = ''`
    : sql`agent_id = ${agent} and (session_id = ${session} or session_id = '')`;
