import { formatIsoTime } from '#lib/iso-time.ts';
import type { ConversationWrites } from '../../port/sessions.ts';
import { type Db, raw, type SqlRow, sql } from '../sql.ts';

export function createConversationWrites(db: Db): ConversationWrites {
  return {
    async findProcess(agent) {
      const [row] = await db.all(
        sql`select process from conversations where agent_id = ${agent} and ${isKnown('conversations')} order by seq desc limit 1`,
      );
      return row && String(row.process);
    },
    async record(process, agent, at, isNewest) {
      const known = await db.all(sql`select agent_id from conversations where process = ${process} order by seq desc`);
      const agents = known.map(toAgent);
      if (isNewest ? agents[0] === agent : agents.includes(agent)) return [];
      await db.run(sql`delete from conversations where process = ${process} and agent_id = ${agent}`);
      await insertPair(db, process, agent, at);
      await db.run(sql`delete from conversations where seen_at < ${subtractDays(at, maxAgeDays)}`);
      const provisional = await db.all(sql`
        select agent_id from conversations where process = ${toProvisional(process)} and agent_id <> ${agent} and not exists (
          select 1 from conversations other where other.agent_id = conversations.agent_id and ${isKnown('other')})`);
      await db.run(sql`delete from conversations where process = ${toProvisional(process)}`);
      return provisional.map(toAgent);
    },
    recordProvisional: (process, agent, at) => insertPair(db, toProvisional(process), agent, at),
    async moveAgent(from, to) {
      await db.run(sql`update claims set agent_id = ${to} where agent_id = ${from}`);
      await db.run(sql`
        insert into session_agents (session_id, agent_id, attached_at)
        select session_id, ${to}, attached_at from session_agents where agent_id = ${from}
        on conflict (session_id, agent_id) do nothing`);
      await db.run(sql`delete from session_agents where agent_id = ${from}`);
      await db.run(sql`update sessions set started_by = ${to} where started_by = ${from} and status <> 'ended'`);
    },
  };
}

/** A conversation that was not seen for this long is forgotten; its next call records it again. */
const maxAgeDays = 30;
const subtractDays = (at: string, days: number): string => formatIsoTime(Date.parse(at) - days * 86_400_000);

/** Provisional agents are in the same table under a key that is not the key of a process. */
const toProvisional = (process: string): string => `provisional:${process}`;
const isKnown = (table: string) => raw(`${table}.process not like 'provisional:%'`);

const insertPair = (db: Db, process: string, agent: string, at: string): Promise<void> =>
  db.run(sql`
    insert into conversations (process, agent_id, seen_at) values (${process}, ${agent}, ${at})
    on conflict (process, agent_id) do nothing`);

const toAgent = (row: SqlRow): string => String(row.agent_id);
