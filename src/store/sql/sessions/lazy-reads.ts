import type { ContextUsage, SessionRecord } from '#sessions/model/session.ts';
import type { SessionReads } from '../../port/sessions.ts';
import { parseIds } from '../admin/audit-reads.ts';
import { type EagerSessionRead, toHandle, toScope } from '../caller-reads.ts';
import { type Db, listValues, omitNull, raw, type Sql, type SqlRow, splitChunks, sql, toId } from '../sql.ts';

const listOrder = raw(`order by case status when 'active' then 0 when 'suspended' then 1 else 2 end, seq desc`);

export function createLazySessionReads(db: Db): Omit<SessionReads, EagerSessionRead> {
  return {
    async get(id) {
      return (await readSessions(db, sql`where id = ${id}`))[0];
    },
    async list(status, page) {
      const which = status ? sql`where status = ${status}` : raw('');
      return readSessions(db, sql`${which} ${listOrder} limit ${page.limit} offset ${page.offset}`);
    },
    async listNames(status) {
      const which = status ? sql`where status = ${status}` : raw('');
      const found = await db.all(sql`select id, name, started_by, scope_type, scope_root from sessions ${which} ${listOrder}`);
      return found.map((row) => ({
        id: String(row.id),
        ...omitNull({ name: row.name as string | null }),
        agent: String(row.started_by),
        scope: toScope(row),
      }));
    },
    async getSeveral(ids) {
      const found: SessionRecord[] = [];
      for (const some of splitChunks(ids, 500)) found.push(...(await readSessions(db, sql`where id in ${listValues(some)}`)));
      const byId = new Map(found.map((session) => [session.id, session]));
      return ids.flatMap((id) => byId.get(id) ?? []);
    },
    async count(status) {
      const [row] = await db.all(sql`select count(*) as n from sessions ${status ? sql`where status = ${status}` : raw('')}`);
      return Number(row?.n);
    },
    listActive: () => readSessions(db, raw(`where status = 'active' order by seq`)),
    async listAgents(id) {
      const found = await db.all(sql`select agent_id as id from session_agents where session_id = ${id} order by attached_at, agent_id`);
      return found.map(toId);
    },
    async getLastHandoff(root) {
      const scope = root === undefined ? raw('') : sql`and (scope_root = ${root})`;
      return (await readSessions(db, sql`where handoff is not null ${scope} order by handed_over desc, seq desc limit 1`))[0];
    },
    findInactiveSince: (before) =>
      readSessions(
        db,
        sql`where status <> 'ended' and updated_at < ${before} and not exists (
          select 1 from audit_log a where a.session_id = sessions.id and a.timestamp >= ${before}) order by seq`,
      ),
    findWithMissingRoot: () =>
      readSessions(
        db,
        raw(`where status <> 'ended' and scope_root is not null
          and not exists (select 1 from tasks t where t.id = sessions.scope_root) order by seq`),
      ),
    async listChangedIds(id, limit, agent) {
      const found = await db.all(sql`
        select created_ids, updated_ids from audit_log
        where session_id = ${id} ${agent === undefined ? raw('') : sql`and agent_id = ${agent}`} and success = 1 and (created_ids <> '[]' or updated_ids <> '[]') order by seq desc limit ${limit}`);
      return [...new Set(found.flatMap((row) => [...parseIds(row.created_ids), ...parseIds(row.updated_ids)]))];
    },
    async findNewestConversation(process) {
      const [row] = await db.all(sql`select agent_id as id from conversations where process = ${process} order by seq desc limit 1`);
      return row && toId(row);
    },
    async getContextUsage({ session, agent }) {
      // A status line reports under another agent name than the agent it is for. Then the latest report of the session counts.
      const [row] = await db.all(sql`
        select used_tokens, max_tokens, at from context_usage
        where session_id = ${session ?? ''} ${session === undefined ? sql`and agent_id = ${agent}` : raw('')}
        order by case when agent_id = ${agent} then 0 else 1 end, at desc limit 1`);
      return row && toContextUsage(row);
    },
    async listContextUsage(id) {
      const rows = await db.all(sql`
        select agent_id, used_tokens, max_tokens, at from context_usage where session_id = ${id} order by at desc, agent_id`);
      return rows.map((row) => ({ agent: String(row.agent_id), ...toContextUsage(row) }));
    },
  };
}

const toContextUsage = (row: SqlRow): ContextUsage => ({ used: Number(row.used_tokens), max: Number(row.max_tokens), at: String(row.at) });

export async function readSessions(db: Db, which: Sql): Promise<SessionRecord[]> {
  const columns = raw(
    'id, name, scope_type, scope_root, status, phase, graded, started_by, started_at, updated_at, ended_at, note, handoff',
  );
  return (await db.all(sql`select ${columns} from sessions ${which}`)).map((row) => ({
    ...toHandle(row),
    ...omitNull({ name: row.name as string | null }),
    startedBy: String(row.started_by),
    startedAt: String(row.started_at),
    updatedAt: String(row.updated_at),
    ...omitNull({ endedAt: row.ended_at as string | null, note: row.note as string | null }),
    ...(row.handoff ? { handoff: JSON.parse(String(row.handoff)) } : {}),
  }));
}
