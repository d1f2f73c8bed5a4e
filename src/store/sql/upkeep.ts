import type { HealthReads, JobWrites, KeyReads, KeyWrites } from '../port.ts';
import { type Db, raw, sql } from './sql.ts';
import { present } from './task-rows.ts';

export function keyReads(db: Db): KeyReads {
  return {
    async kept(operation, key) {
      const [row] = await db.all(sql`select params_hash, answer, at from idempotency_keys where operation = ${operation} and key = ${key}`);
      return row && { paramsHash: String(row.params_hash), ...present('answer', row.answer as string | null), at: String(row.at) };
    },
  };
}

export function keyWrites(db: Db): KeyWrites {
  return {
    keep: (operation, key, kept) =>
      db.run(sql`
        insert into idempotency_keys (operation, key, params_hash, answer, at) values (${operation}, ${key}, ${kept.paramsHash}, ${kept.answer}, ${kept.at})
        on conflict (operation, key) do update set params_hash = excluded.params_hash, answer = excluded.answer, at = excluded.at`),
    forget: (operation, key) => db.run(sql`delete from idempotency_keys where operation = ${operation} and key = ${key}`),
    forgetBefore: (at) => db.run(sql`delete from idempotency_keys where at < ${at}`),
  };
}

export function jobWrites(db: Db): JobWrites {
  return {
    async begin(operation, agent, at) {
      const [row] = await db.all(
        sql`insert into jobs (operation, agent_id, started_at) values (${operation}, ${agent}, ${at}) returning id`,
      );
      return Number(row?.id);
    },
    finish: (id) => db.run(sql`delete from jobs where id = ${id}`),
  };
}

export function healthReads(db: Db): HealthReads {
  return {
    async integrity() {
      if (db.engine === 'postgres') return [];
      const found = await db.all(raw('pragma integrity_check'));
      return found.map((row) => String(row.integrity_check)).filter((line) => line !== 'ok');
    },
    async migrations() {
      const found = await db.all(sql`select version, checksum, applied_at from schema_migrations order by version`);
      const applied = found.map((row) => ({
        version: Number(row.version),
        checksum: String(row.checksum),
        appliedAt: String(row.applied_at),
      }));
      const { migrations } = await import('../migrations/all.ts');
      const { foreignSteps } = await import('../migrations/migration.ts');
      const foreign = foreignSteps(applied, migrations);
      return applied.map(({ version, appliedAt }) => ({ version, appliedAt, isOurs: !foreign.includes(version) }));
    },
    async startedJobs() {
      const found = await db.all(sql`select id, operation, agent_id, started_at from jobs order by id`);
      return found.map((row) => ({
        id: Number(row.id),
        operation: String(row.operation),
        agent: String(row.agent_id),
        startedAt: String(row.started_at),
      }));
    },
    async dependencyEdges() {
      const found = await db.all(sql`select task_id, depends_on from task_dependencies order by task_id, position`);
      return found.map((row) => ({ from: String(row.task_id), to: String(row.depends_on) }));
    },
  };
}
