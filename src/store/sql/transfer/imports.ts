import { type Status, type TaskType, toTaskNumber } from '#core/model/scalars.ts';
import type { KnownImport } from '#transfer/model/known-import.ts';
import type { ImportFilter, ImportReads, ImportWrites } from '../../port/transfer.ts';
import { listRows } from '../list-rows.ts';
import { countUpTo, queryInChunks } from '../queries.ts';
import { type Db, listValues, omitNull, raw, type Sql, type SqlRow, splitChunks, sql } from '../sql.ts';

export function createImportReads(db: Db): ImportReads {
  return {
    async getKnown(source) {
      const known: [string, KnownImport][] = [];
      await visitKnown(db, source, (id, one) => known.push([id, one]));
      return new Map(known.sort(compareKnown));
    },
    visitKnown: (source, visit) => visitKnown(db, source, visit),
    async getBases(source, ids) {
      const found = await queryInChunks(
        db,
        ids,
        (some) => sql`select foreign_id, base from import_records where source = ${source} and foreign_id in ${some}`,
      );
      return new Map(found.map((row) => [String(row.foreign_id), String(row.base)]));
    },
    async list(filter, { limit, offset }) {
      const found = await db.all(sql`
        select source, foreign_id, task_id, at from import_records ${whereImport(filter)}
        order by source, length(task_id), task_id limit ${limit} offset ${offset}`);
      return found.map((row) => ({
        source: String(row.source),
        id: String(row.foreign_id),
        taskId: String(row.task_id),
        importedAt: String(row.at),
      }));
    },
    count: (filter, atMost) => countUpTo(db, sql`select 1 as one from import_records ${whereImport(filter)}`, atMost),
  };
}

export const createImportWrites = (db: Db): ImportWrites => ({
  async save(source, entries, at) {
    for (const some of splitChunks(entries, 150))
      await db.run(sql`
        insert into import_records (source, foreign_id, task_id, base, at)
        values ${listRows(some.map(({ foreignId, taskId, base }) => [source, foreignId, taskId, base, at]))}
        on conflict (source, foreign_id) do update set task_id = excluded.task_id, base = excluded.base, at = excluded.at`);
  },
});

async function visitKnown(db: Db, source: string, visit: (id: string, known: KnownImport) => void): Promise<void> {
  const visitPages = async (column: Sql, query: Sql): Promise<void> => {
    for (let rest = raw(''); ; ) {
      const page = await db.all(sql`${query} ${rest} order by ${column} limit ${pageSize}`);
      for (const row of page) visit(String(row.foreign_id), toKnownImport(row));
      if (page.length < pageSize) return;
      rest = sql`and ${column} > ${String(page.at(-1)!.foreign_id)}`;
    }
  };
  await visitPages(
    raw('r.foreign_id'),
    sql`
      select r.foreign_id, r.task_id, r.base, ${currentColumns} from import_records r left join tasks t on t.id = r.task_id
      where r.source = ${source}`,
  );
  await visitPages(
    raw('a.alias'),
    sql`
      select a.alias as foreign_id, a.task_id, null as base, ${currentColumns} from task_aliases a join tasks t on t.id = a.task_id
      where a.tool = ${source} and not exists (select 1 from import_records r where r.source = a.tool and r.foreign_id = a.alias)`,
  );
}

/** Orders records by their tasks, and after them those that are known by an alias only. Databases order texts differently. */
function compareKnown([a, x]: [string, KnownImport], [b, y]: [string, KnownImport]): number {
  const isKnown = ({ base }: KnownImport): number => (base === undefined ? 1 : 0);
  return isKnown(x) - isKnown(y) || toTaskNumber(x.taskId) - toTaskNumber(y.taskId) || (a < b ? -1 : 1);
}

const pageSize = 500;

const currentColumns = raw('t.type, t.status, t.parent_id, t.archived_at, t.revision, t.updated_at');

function toKnownImport(row: SqlRow): KnownImport {
  const taskId = String(row.task_id);
  const base = row.base === null ? {} : { base: String(row.base) };
  if (row.revision === null) return { taskId, ...base };
  const { type, status } = row as { type: TaskType; status: Status };
  const optional = omitNull({ parentId: row.parent_id as string | null, archivedAt: row.archived_at as string | null });
  return { taskId, ...base, current: { type, status, ...optional, revision: Number(row.revision), updatedAt: String(row.updated_at) } };
}

const whereImport = ({ tool, sources, foreignId }: ImportFilter): Sql => sql`where 1 = 1
  ${tool === undefined ? raw('') : sql`and (source = ${tool} or substr(source, 1, ${tool.length + 1}) = ${`${tool}:`})`}
  ${sources === undefined ? raw('') : sql`and source in ${listValues(sources)}`}
  ${foreignId === undefined ? raw('') : sql`and foreign_id = ${foreignId}`}`;
