import type { ScopeKind, SessionHandle, SessionStatus } from '#core/model/session-handle.ts';
import type { SessionReads } from '../../port/sessions.ts';
import { type Db, omitNull, raw, type SqlRow, sql } from '../sql.ts';

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
