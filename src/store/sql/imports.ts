import type { ImportReads, ImportWrites } from '../port-imports.ts';
import { chunks, type Db, raw, rows, sql } from './sql.ts';

export function importReads(db: Db): ImportReads {
  const among = (source: string | undefined, foreignId: string | undefined) => sql`
    ${source === undefined ? raw('where 1 = 1') : sql`where source = ${source}`}
    ${foreignId === undefined ? raw('') : sql`and foreign_id = ${foreignId}`}`;
  return {
    async known(source) {
      const found = await db.all(sql`select foreign_id, task_id, digest from imports where source = ${source}`);
      return new Map(found.map((row) => [String(row.foreign_id), { taskId: String(row.task_id), digest: String(row.digest) }]));
    },
    async list({ source, foreignId }, { limit, offset }) {
      const found = await db.all(sql`
        select source, foreign_id, task_id, imported_at from imports ${among(source, foreignId)}
        order by source, length(task_id), task_id limit ${limit} offset ${offset}`);
      return found.map((row) => ({
        source: String(row.source),
        id: String(row.foreign_id),
        taskId: String(row.task_id),
        importedAt: String(row.imported_at),
      }));
    },
    async count({ source, foreignId }, atMost) {
      const [row] = await db.all(
        sql`select count(*) as n from (select 1 from imports ${among(source, foreignId)} limit ${atMost + 1}) as some`,
      );
      return Number(row?.n);
    },
  };
}

export const importWrites = (db: Db): ImportWrites => ({
  async remember(source, entries, at) {
    for (const some of chunks(entries, 150))
      await db.run(sql`
        insert into imports (source, foreign_id, task_id, digest, imported_at)
        values ${rows(some.map(({ foreignId, taskId, digest }) => [source, foreignId, taskId, digest, at]))}
        on conflict (source, foreign_id) do update set task_id = excluded.task_id, digest = excluded.digest, imported_at = excluded.imported_at`);
  },
});
