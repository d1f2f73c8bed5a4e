import type { Caller, Claim } from '#core/model/audit.ts';
import type { ScopeKind, SessionHandle, SessionStatus } from '#core/model/session-handle.ts';
import type { SessionReads } from '../port/sessions.ts';
import type { ClaimReads } from '../port/tasks.ts';
import { type Db, omitNull, raw, type Sql, type SqlRow, sql } from './sql.ts';

/** The read that every call makes. The others are in `lazy-reads.ts`. */
export type EagerSessionRead = 'findCandidates';

export function createSessionReads(db: Db): Pick<SessionReads, EagerSessionRead> {
  return {
    async findCandidates(agent, named) {
      const found = await db.all(sql`
        select id, status, scope_type, scope_root, phase, graded,
          (select count(*) from session_agents where session_id = id and agent_id = ${agent}) as mine from sessions
        where status = 'active' ${named === undefined ? raw('') : sql`or id = ${named}`} order by seq`);
      return found.map((row) => ({ ...toHandle(row), isMine: Number(row.mine) > 0 }));
    },
  };
}

export const toHandle = (row: SqlRow): SessionHandle => ({
  id: String(row.id),
  status: row.status as SessionStatus,
  scope: toScope(row),
  ...omitNull({ phase: row.phase as string | null }),
  isGraded: Number(row.graded) === 1,
});

export const toScope = (row: SqlRow): SessionHandle['scope'] => ({
  kind: row.scope_type as ScopeKind,
  ...omitNull({ root: row.scope_root as string | null }),
});

/** Reads of everyday commands. */
export function createClaimReads(db: Db): Pick<ClaimReads, 'getLeaseTime' | 'get' | 'getHeldBy' | 'listHeldBy' | 'list'> {
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
    list: () => readAllClaims(db),
    listHeldBy: (caller) => readClaims(db, sql`where ${whereHeldBy(caller)} ${focusFirst}`),
  };
}

export const readAllClaims = (db: Db): Promise<Claim[]> => readClaims(db, raw('order by task_id'));

const epoch = '1970-01-01T00:00:00.000Z';
export const databaseNow = raw(`to_char(clock_timestamp() at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`);

export async function readClaims(db: Db, which: Sql): Promise<Claim[]> {
  return (await db.all(selectClaims(which))).map(toClaim);
}

export const selectClaims = (which: Sql): Sql => sql`
  select task_id, session_id, agent_id, claimed_at, focused_at, renewed_at, process, away_at, taken_from, taken_reason from claims ${which}`;

const focusFirst = raw('order by focused_at desc, session_id desc, task_id');

export const toClaim = (row: SqlRow): Claim => ({
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

/** An agent keeps claims that it made outside any session when it joins one. Such claims have the session ''. */
export const whereHeldBy = ({ session, agent }: Caller): Sql =>
  session === undefined
    ? sql`agent_id = ${agent} and session_id = ''`
    : sql`agent_id = ${agent} and (session_id = ${session} or session_id = '')`;
