import type { SpawnRecord, SpawnRole } from '#orchestration/model/spawn.ts';
import type { SpawnReads } from '../port-orchestration.ts';
import { chunks, type Db, inList, type Row, type Sql, sql } from './sql.ts';
import { present } from './task-rows.ts';

export function spawnReads(db: Db): SpawnReads {
  const read = async (which: Sql): Promise<SpawnRecord[]> => (await db.all(sql`select * from spawns ${which}`)).map(toSpawn);
  return {
    of: (taskId) => read(sql`where task_id = ${taskId} order by seq`),
    async latest(ids) {
      const found: SpawnRecord[] = [];
      for (const some of chunks(ids, 500))
        found.push(
          ...(await read(
            sql`where seq in (select max(seq) from spawns where task_id in ${inList(some)} and role = 'worker' group by task_id)`,
          )),
        );
      return found;
    },
    async budget({ session, agent }) {
      if (session === undefined) return undefined;
      const [row] = await db.all(
        sql`select used_tokens, max_tokens from context_usage where session_id = ${budgetOf(session)} and agent_id = ${agent}`,
      );
      return row && { used: Number(row.used_tokens), max: Number(row.max_tokens) };
    },
  };
}

/** Beside the context window of the session, in a row that no session has for an id. */
export const budgetOf = (session: string): string => `budget of ${session}`;

const toSpawn = (row: Row): SpawnRecord => ({
  seq: Number(row.seq),
  taskId: String(row.task_id),
  agent: String(row.agent_id),
  ...present('session', row.session_id as string | null),
  role: row.role as SpawnRole,
  skill: String(row.skill),
  protocol: String(row.protocol),
  tier: Number(row.tier),
  promptHash: String(row.prompt_hash),
  hasProtocol: Number(row.has_protocol) === 1,
  spawnedBy: String(row.spawned_by),
  at: String(row.at),
});
