import type { CitationFlag, CitingKind } from '#memory/model/memory.ts';
import type { MemoryReads } from '../../port/memory.ts';
import { type Db, raw, type Sql, type SqlRow, sql, toId } from '../sql.ts';
import { memoryHitColumns, toMemoryHit } from './rows.ts';

type CitationReads = Pick<
  MemoryReads,
  | 'listCited'
  | 'listCiting'
  | 'listSupersededBy'
  | 'listSuccessors'
  | 'listFlagsFor'
  | 'listStaleCitations'
  | 'listOpenFlags'
  | 'findTasksMentioning'
>;

export function createCitationReads(db: Db): CitationReads {
  const listFlags = async (old: Sql, which: Sql, limit = 10_000): Promise<CitationFlag[]> =>
    (await db.all(selectFlags(old, which, limit))).map(toFlag);
  return {
    listCited: async (kind, id) =>
      (
        await db.all(
          sql`select ${memoryHitColumns} from citations c join memories m on m.id = c.memory_id where c.by_kind = ${kind} and c.by_id = ${id} order by m.seq`,
        )
      ).map(toMemoryHit),
    async listCiting(id) {
      const found = await db.all(sql`
        select c.by_kind, c.by_id, ${citingTitle} as title from citations c ${joinCiting}
        where c.memory_id = ${id} and ${citingTitle} is not null order by c.by_kind, length(c.by_id), c.by_id`);
      return found.map((row) => ({ kind: row.by_kind as CitingKind, id: String(row.by_id), title: String(row.title) }));
    },
    listSupersededBy: async (id) =>
      (await db.all(sql`select ${memoryHitColumns} from memories m where m.superseded_by = ${id} order by m.seq`)).map(toMemoryHit),
    async listSuccessors(id) {
      const found = await db.all(sql`${withSuccessors(sql`m.id = ${id}`)} select id from after order by depth`);
      return found.map(toId);
    },
    listFlagsFor: (id) => listFlags(sql`m.id = ${id}`, sql`c.memory_id = ${id}`),
    listStaleCitations: (kind, id) =>
      listFlags(
        sql`m.id in (select o.memory_id from citations o where o.by_kind = ${kind} and o.by_id = ${id})`,
        sql`c.by_kind = ${kind} and c.by_id = ${id}`,
      ),
    listOpenFlags: (limit) =>
      listFlags(
        raw('1 = 1'),
        sql`(c.by_kind = 'doc' or b.superseded_by is null and b.confirmation_state <> 'rejected' or t.status <> 'done' and t.archived_at is null)`,
        limit,
      ),
    async findTasksMentioning(text) {
      // The text is an id, which contains no pattern characters of `like`.
      const like = `%${text}%`;
      const found = await db.all(sql`
        select t.id from tasks t where t.title like ${like} or t.description like ${like}
        union select n.task_id from task_notes n where n.content like ${like}
        union select a.task_id from task_acceptance_criteria a where a.content like ${like}`);
      return found.map(toId);
    },
  };
}

const citingTitle = raw('coalesce(b.title, d.title, t.title)');
const joinCiting = raw(`
  left join memories b on c.by_kind = 'memory' and b.id = c.by_id
  left join docs d on c.by_kind = 'doc' and d.slug = c.by_id
  left join tasks t on c.by_kind = 'task' and t.id = c.by_id`);

/** Defines `after`: each superseded entry with all its successors. */
const withSuccessors = (first: Sql): Sql => sql`
  with recursive after (old, id, depth) as (
    select m.id, m.superseded_by, 1 from memories m where m.superseded_by is not null and ${first}
    union all
    select after.old, m.superseded_by, after.depth + 1 from after join memories m on m.id = after.id where m.superseded_by is not null and after.depth < 1000
  )`;

/** Selects citations of superseded entries. A successor may cite the entry that it supersedes. `old` limits the superseded
 *  entries to those that can occur. */
const selectFlags = (old: Sql, which: Sql, limit: number): Sql => sql`
  ${withSuccessors(old)}
  select c.by_kind, c.by_id, ${citingTitle} as title, c.memory_id, m.superseded_by from citations c
    join memories m on m.id = c.memory_id and m.superseded_by is not null ${joinCiting}
  where ${which} and ${citingTitle} is not null
    and not (c.by_kind = 'memory' and exists (select 1 from after where after.old = c.memory_id and after.id = c.by_id))
  order by c.by_kind, length(c.by_id), c.by_id, c.memory_id limit ${limit}`;

const toFlag = (row: SqlRow): CitationFlag => ({
  kind: row.by_kind as CitingKind,
  id: String(row.by_id),
  title: String(row.title),
  cites: String(row.memory_id),
  supersededBy: String(row.superseded_by),
});
