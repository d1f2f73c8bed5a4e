import type { ImportFilter, ImportReads, ImportWrites } from '../../port/transfer.ts';
import { countUpTo } from '../queries.ts';
import { type Db, listRows, listValues, raw, type Sql, splitChunks, sql } from '../sql.ts';

export function createImportReads(db: Db): ImportReads {
  return {
    async getKnown(source) {
      const found = await db.all(sql`select foreign_id, task_id, digest from imports where source = ${source}`);
      return new Map(found.map((row) => [String(row.foreign_id), { taskId: String(row.task_id), digest: String(row.digest) }]));
    },
    async list(filter, { limit, offset }) {
      const found = await db.all(sql`
        select source, foreign_id, task_id, imported_at from imports ${whereImport(filter)}
        order by source, length(task_id), task_id limit ${limit} offset ${offset}`);
      return found.map((row) => ({
        source: String(row.source),
        id: String(row.foreign_id),
        taskId: String(row.task_id),
        importedAt: String(row.imported_at),
      }));
    },
    count: (filter, atMost) => countUpTo(db, sql`select 1 as one from imports ${whereImport(filter)}`, atMost),
  };
}

export const createImportWrites = (db: Db): ImportWrites => ({
  async save(source, entries, at) {
    for (const some of splitChunks(entries, 150))
      await db.run(sql`
        insert into imports (source, foreign_id, task_id, digest, imported_at)
        values ${listRows(some.map(({ foreignId, taskId, digest }) => [source, foreignId, taskId, digest, at]))}
        on conflict (source, foreign_id) do update set task_id = excluded.task_id, digest = excluded.digest, imported_at = excluded.imported_at`);
  },
});

const whereImport = ({ tool, sources, foreignId }: ImportFilter): Sql => sql`where 1 = 1
  ${tool === undefined ? raw('') : sql`and (source = ${tool} or substr(source, 1, ${tool.length + 1}) = ${`${tool}:`})`}
  ${sources === undefined ? raw('') : sql`and source in ${listValues(sources)}`}
  ${foreignId === undefined ? raw('') : sql`and foreign_id = ${foreignId}`}`;
