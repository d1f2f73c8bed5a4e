import type { Changes } from '#core/model/audit.ts';
import type { SessionWrites } from '../../port/sessions.ts';
import { type Db, raw, sql } from '../sql.ts';

export function createSessionWrites(db: Db, changes: Changes): SessionWrites {
  return {
    async insert(session) {
      await db.run(sql`
        insert into sessions (id, name, scope_type, scope_root, status, phase, graded, started_by, started_at, updated_at)
        values (${session.id}, ${session.name}, ${session.scope.kind}, ${session.scope.root}, ${session.status}, ${session.phase},
          ${session.isGraded ? 1 : 0}, ${session.startedBy}, ${session.startedAt}, ${session.updatedAt})`);
      changes.created.push(session.id);
    },
    async save(session) {
      await db.run(sql`
        update sessions set status = ${session.status}, updated_at = ${session.updatedAt}, ended_at = ${session.endedAt}, note = ${session.note},
          handoff = ${session.handoff ? JSON.stringify(session.handoff) : null},
          handed_over = ${session.handoff ? raw('(select max(seq) from audit_log)') : null}
        where id = ${session.id}`);
      changes.updated.push(session.id);
    },
    async attach(id, agent, at) {
      const added = await db.all(sql`
        insert into session_agents (session_id, agent_id, attached_at) values (${id}, ${agent}, ${at})
        on conflict (session_id, agent_id) do nothing returning agent_id`);
      return added.length > 0;
    },
    detach: (id, agent) => db.run(sql`delete from session_agents where session_id = ${id} and agent_id = ${agent}`),
    saveContextUsage: ({ session, agent }, usage) =>
      db.run(sql`
        insert into context_usage (session_id, agent_id, used_tokens, max_tokens, at)
        values (${session ?? ''}, ${agent}, ${usage.used}, ${usage.max}, ${usage.at})
        on conflict (session_id, agent_id) do update set used_tokens = excluded.used_tokens, max_tokens = excluded.max_tokens, at = excluded.at`),
  };
}
