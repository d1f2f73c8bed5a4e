import type { HealthReads, JobWrites, KeyReads, KeyWrites } from '../../port/admin.ts';
import { type Db, omitNull, raw, sql } from '../sql.ts';

export function createKeyReads(db: Db): KeyReads {
  return {
    async get(operation, key) {
      const [row] = await db.all(sql`select params_hash, answer, at from idempotency_keys where operation = ${operation} and key = ${key}`);
      return row && { paramsHash: String(row.params_hash), ...omitNull({ answer: row.answer as string | null }), at: String(row.at) };
    },
  };
}

export function createKeyWrites(db: Db): KeyWrites {
  return {
    save: (operation, key, kept) =>
      db.run(sql`
        insert into idempotency_keys (operation, key, params_hash, answer, at) values (${operation}, ${key}, ${kept.paramsHash}, ${kept.answer}, ${kept.at})
        on conflict (operation, key) do update set params_hash = excluded.params_hash, answer = excluded.answer, at = excluded.at`),
    remove: (operation, key) => db.run(sql`delete from idempotency_keys where operation = ${operation} and key = ${key}`),
    removeBefore: (at) => db.run(sql`delete from idempotency_keys where at < ${at}`),
  };
}

export function createJobWrites(db: Db): JobWrites {
  return {
    async start(operation, agent, at) {
      const [row] = await db.all(
        sql`insert into jobs (operation, agent_id, started_at) values (${operation}, ${agent}, ${at}) returning id`,
      );
      return Number(row?.id);
    },
    finish: (id) => db.run(sql`delete from jobs where id = ${id}`),
  };
}

export function createHealthReads(db: Db): HealthReads {
  return {
    async checkIntegrity() {
      if (db.engine === 'postgres') return [];
      const found = await db.all(raw('pragma integrity_check'));
      return found.map((row) => String(row.integrity_check)).filter((line) => line !== 'ok');
    },
    async listMigrations() {
      const found = await db.all(sql`select version, checksum, applied_at from schema_migrations where version >= 0 order by version`);
      const applied = found.map((row) => ({
        version: Number(row.version),
        checksum: String(row.checksum),
        appliedAt: String(row.applied_at),
      }));
      const { migrations } = await import('../../migrations/all.ts');
      const { findForeignMigrations } = await import('../../migrations/migration.ts');
      const foreign = findForeignMigrations(applied, migrations);
      return applied.map(({ version, appliedAt }) => ({ version, appliedAt, isKnown: !foreign.includes(version) }));
    },
    listFeatures: async () => (await import('./engine-features.ts')).listFeatures(db),
    checkFeature: async (name) => (await import('./engine-features.ts')).checkFeature(db, name),
    findLockHolder: async () => (await import('./lock-holder.ts')).findLockHolder(db),
    async listStartedJobs() {
      const found = await db.all(sql`select id, operation, agent_id, started_at from jobs order by id`);
      return found.map((row) => ({
        id: Number(row.id),
        operation: String(row.operation),
        agent: String(row.agent_id),
        startedAt: String(row.started_at),
      }));
    },
    async listDependencyEdges() {
      const found = await db.all(sql`select task_id, depends_on from task_dependencies order by task_id, position`);
      return found.map((row) => ({ from: String(row.task_id), to: String(row.depends_on) }));
    },
  };
}
