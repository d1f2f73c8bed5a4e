import type { SpawnRecord, SpawnRole } from '#orchestration/model/spawn.ts';
import type { SpawnReads } from '../../port/orchestration.ts';
import { queryInChunks } from '../queries.ts';
import { type Db, omitNull, type SqlRow, sql } from '../sql.ts';

export function createSpawnReads(db: Db): SpawnReads {
  return {
    listForTask: async (taskId) => (await db.all(sql`select * from spawns where task_id = ${taskId} order by seq`)).map(toSpawn),
    async listLatest(ids) {
      const found = await queryInChunks(
        db,
        ids,
        (some) => sql`select * from spawns where seq in (
          select max(seq) from spawns where task_id in ${some} and role = 'worker' group by task_id)`,
      );
      return found.map(toSpawn);
    },
    async findBySecret(taskId, hash) {
      const [row] = await db.all(
        sql`select seq, agent_id, secret_round, secret_used_at from spawns where task_id = ${taskId} and secret_hash = ${hash}`,
      );
      return (
        row && {
          seq: Number(row.seq),
          agent: String(row.agent_id),
          round: Number(row.secret_round),
          ...omitNull({ usedAt: row.secret_used_at as string | null }),
        }
      );
    },
    async getBudget({ session, agent }) {
      if (session === undefined) return undefined;
      const [row] = await db.all(
        sql`select used_tokens, max_tokens from context_usage where session_id = ${toBudgetKey(session)} and agent_id = ${agent}`,
      );
      return row && { used: Number(row.used_tokens), max: Number(row.max_tokens) };
    },
  };
}

/** The budget is stored in the table of context windows, under a key that is not a session id. */
export const toBudgetKey = (session: string): string => `budget of ${session}`;

const toSpawn = (row: SqlRow): SpawnRecord => ({
  seq: Number(row.seq),
  taskId: String(row.task_id),
  agent: String(row.agent_id),
  ...omitNull({ session: row.session_id as string | null }),
  role: row.role as SpawnRole,
  skill: String(row.skill),
  protocol: String(row.protocol),
  tier: Number(row.tier),
  promptHash: String(row.prompt_hash),
  hasProtocol: Number(row.has_protocol) === 1,
  spawnedBy: String(row.spawned_by),
  at: String(row.at),
});
