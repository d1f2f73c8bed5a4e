import type { Changes } from '#core/model/audit.ts';
import type { SpawnWrites } from '../../port/orchestration.ts';
import { type Db, sql } from '../sql.ts';
import { toBudgetKey } from './spawn-reads.ts';

export function createSpawnWrites(db: Db, changes: Changes): SpawnWrites {
  return {
    async insert(spawn) {
      await db.run(sql`
        insert into spawns (task_id, agent_id, session_id, role, skill, protocol, tier, prompt_hash, has_protocol, spawned_by, at,
          secret_hash, secret_round)
        values (${spawn.taskId}, ${spawn.agent}, ${spawn.session}, ${spawn.role}, ${spawn.skill}, ${spawn.protocol}, ${spawn.tier},
          ${spawn.promptHash}, ${spawn.hasProtocol ? 1 : 0}, ${spawn.spawnedBy}, ${spawn.at},
          ${spawn.secret?.hash}, ${spawn.secret?.round})`);
      changes.created.push(spawn.agent);
    },
    markSecretUsed: (seq, at) => db.run(sql`update spawns set secret_used_at = ${at} where seq = ${seq}`),
    saveBudget: ({ session = '', agent }, { used, max }, at) =>
      db.run(sql`
        insert into context_usage (session_id, agent_id, used_tokens, max_tokens, at)
        values (${toBudgetKey(session)}, ${agent}, ${used}, ${max}, ${at})
        on conflict (session_id, agent_id) do update set used_tokens = excluded.used_tokens, max_tokens = excluded.max_tokens, at = excluded.at`),
  };
}
