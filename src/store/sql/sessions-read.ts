import type { ScopeKind, SessionHandle, SessionStatus } from '#core/model/session-handle.ts';
import type { SessionReads } from '../port.ts';
import { type Db, type Row, raw, sql } from './sql.ts';
import { present } from './task-rows.ts';

/** What every call asks; the rest is in `sessions-survey.ts`. */
export type EveryCall = 'candidates';

export function sessionReads(db: Db): Pick<SessionReads, EveryCall> {
  return {
    async candidates(agent, named) {
      const found = await db.all(sql`
        select id, status, scope_type, scope_root, phase, graded from sessions
        where status = 'active' ${named === undefined ? raw('') : sql`or id = ${named}`} order by seq`);
      // Every call asks this; most projects have one session at a time, and then it does not matter whose it is.
      if (found.length < 2) return found.map((row) => ({ ...toHandle(row), isMine: false }));
      const own = await db.all(sql`select session_id from session_agents where agent_id = ${agent}`);
      const mine = new Set(own.map((row) => row.session_id));
      return found.map((row) => ({ ...toHandle(row), isMine: mine.has(row.id ?? null) }));
    },
  };
}

export const toHandle = (row: Row): SessionHandle => ({
  id: String(row.id),
  status: row.status as SessionStatus,
  scope: { kind: row.scope_type as ScopeKind, ...present('root', row.scope_root as string | null) },
  ...present('phase', row.phase as string | null),
  isGraded: Number(row.graded) === 1,
});
