import type { Changes } from '#core/model/audit.ts';
import type { GateName } from '#core/model/scalars.ts';
import { groupBy } from '#lib/collections.ts';
import type { BaselineFile } from '#tasks/model/baseline.ts';
import type { GateAttempt, GateEvidence, Independence, Observer, RoundState, ValidatorVerdict } from '#verification/model/verification.ts';
import type { GateReads, GateWrites } from '../../port/verification.ts';
import { listUpdates } from '../admin/list-updates.ts';
import { noteUpdate } from '../changes.ts';
import { queryInChunks } from '../queries.ts';
import { type Db, omitNull, raw, type SqlRow, sql, toId } from '../sql.ts';

export function createGateReads(db: Db): GateReads {
  return {
    async getBaseline(taskId) {
      const [row] = await db.all(sql`select head, files, at from task_baselines where task_id = ${taskId}`);
      return (
        row && {
          ...omitNull({ head: row.head as string | null }),
          ...(row.files ? { files: JSON.parse(String(row.files)) as BaselineFile[] } : {}),
          at: String(row.at),
        }
      );
    },
    async listAttempts(taskId) {
      return (await db.all(sql`select ${attemptColumns} from task_gates where task_id = ${taskId} order by seq`)).map(toAttempt);
    },
    async getRounds(taskId) {
      const [row] = await db.all(sql`select ${roundColumns} from task_verifications where task_id = ${taskId}`);
      return row && toRounds(row);
    },
    async listExhausted(minFailed, limit) {
      const found = await db.all(sql`
        select t.id, t.title, v.failed from task_verifications v join tasks t on t.id = v.task_id
        where v.failed >= ${minFailed} and t.status <> 'done' and t.archived_at is null order by t.seq limit ${limit}`);
      return found.map((row) => ({ id: String(row.id), title: String(row.title), failedRounds: Number(row.failed) }));
    },
    async listOpenAttempts() {
      const found = await db.all(sql`
        select g.task_id, ${attemptColumns} from task_gates g join tasks t on t.id = g.task_id
        where t.status <> 'done' and t.archived_at is null order by g.seq`);
      return new Map([...groupBy(found, (row) => String(row.task_id))].map(([id, rows]) => [id, rows.map(toAttempt)]));
    },
    async listWorkers(taskId) {
      const found = await db.all(sql`
        select agent_id as id from task_gates where task_id = ${taskId} and gate = 'implemented' and passed = 1
        union select agent_id from claims where task_id = ${taskId}
        union select agent_id from spawns where task_id = ${taskId} and role = 'worker' order by id`);
      return found.map(toId);
    },
    async listParticipants(taskId) {
      // A verdict and a spawn are not work on the task.
      const updates = await listUpdates(db, taskId, raw("domain not in ('validator', 'orchestrate')"));
      const claims = await db.all(sql`select agent_id, '{}' as principal, process from claims where task_id = ${taskId} and process <> ''`);
      const participants = [...updates.map(({ agent_id, principal }) => ({ agent_id, principal, process: null })), ...claims];
      const found = new Map(participants.map((row) => [JSON.stringify([row.agent_id, row.principal, row.process]), row])).values();
      return [...found].map((row) => ({
        agent: String(row.agent_id),
        ...omitNull({ principal: row.principal as string | null, process: row.process as string | null }),
      }));
    },
    async listConversations(processes) {
      const found = await queryInChunks(db, processes, (some) => sql`select process, agent_id from conversations where process in ${some}`);
      return found.map((row) => ({ process: String(row.process), conversation: String(row.agent_id) }));
    },
    async isKnownAgent(agent) {
      const found = await db.all(sql`
        select 1 as known where exists (select 1 from session_agents where agent_id = ${agent})
        or exists (select 1 from spawns where agent_id = ${agent})
        or exists (select 1 from claims where agent_id = ${agent})
        or exists (select 1 from task_gates where agent_id = ${agent})
        or exists (select 1 from audit_log where agent_id = ${agent} and success = 1)`);
      return found.length > 0;
    },
  };
}

export function createGateWrites(db: Db, changes: Changes): GateWrites {
  return {
    async addAttempt(taskId, { gate, round, passed, evidence, by, at, observer }) {
      await db.run(sql`
        insert into task_gates (task_id, gate, round, passed, evidence, agent_id, at, observer)
        values (${taskId}, ${gate}, ${round}, ${passed ? 1 : 0}, ${JSON.stringify(evidence)}, ${by}, ${at},
          ${observer && JSON.stringify(observer)})`);
      noteUpdate(changes, taskId);
    },
    async saveRounds(taskId, { round, failed, verdict }) {
      await db.run(sql`
        insert into task_verifications (task_id, round, failed, verdict, verdict_by, verdict_at, verdict_reason,
          verdict_independence)
        values (${taskId}, ${round}, ${failed}, ${verdict?.verdict}, ${verdict?.by}, ${verdict?.at}, ${verdict?.reason},
          ${verdict?.independence})
        on conflict (task_id) do update set round = excluded.round, failed = excluded.failed, verdict = excluded.verdict,
          verdict_by = excluded.verdict_by, verdict_at = excluded.verdict_at, verdict_reason = excluded.verdict_reason,
          verdict_independence = excluded.verdict_independence`);
    },
  };
}

export const roundColumns = raw('round, failed, verdict, verdict_by, verdict_at, verdict_reason, verdict_independence');

export function toRounds(row: SqlRow): RoundState {
  const verdict = row.verdict as ValidatorVerdict['verdict'] | null;
  return {
    round: Number(row.round),
    failed: Number(row.failed),
    ...(verdict
      ? {
          verdict: {
            verdict,
            by: String(row.verdict_by),
            at: String(row.verdict_at),
            ...omitNull({
              reason: row.verdict_reason as string | null,
              independence: row.verdict_independence as Independence | null,
            }),
          },
        }
      : {}),
  };
}

export const attemptColumns = raw('gate, round, passed, evidence, agent_id, at, observer');

export const toAttempt = (row: SqlRow): GateAttempt => ({
  gate: row.gate as GateName,
  round: Number(row.round),
  passed: Number(row.passed) === 1,
  evidence: JSON.parse(String(row.evidence)) as GateEvidence[],
  by: String(row.agent_id),
  at: String(row.at),
  ...(row.observer ? { observer: JSON.parse(String(row.observer)) as Observer } : {}),
});
