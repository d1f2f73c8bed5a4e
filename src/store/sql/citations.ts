import type { CitingKind, Flag } from '#memory/model/memory.ts';
import type { MemoryReads } from '../port-memory.ts';
import { hitColumns, toHit } from './memory-rows.ts';
import { type Db, type Row, raw, type Sql, sql } from './sql.ts';

type Asked = Pick<
  MemoryReads,
  'citedBy' | 'citing' | 'supersededBy' | 'successors' | 'flaggedBy' | 'staleIn' | 'openFlags' | 'tasksSaying'
>;

/** Who cites whom, and what took the place of what. */
export function citationReads(db: Db): Asked {
  const flags = async (old: Sql, which: Sql, limit = 10_000): Promise<Flag[]> => (await db.all(flagged(old, which, limit))).map(toFlag);
  return {
    citedBy: async (kind, id) =>
      (
        await db.all(
          sql`select ${hitColumns} from citations c join memories m on m.id = c.memory_id where c.by_kind = ${kind} and c.by_id = ${id} order by m.seq`,
        )
      ).map(toHit),
    async citing(id) {
      const found = await db.all(sql`
        select c.by_kind, c.by_id, ${title} as title from citations c ${whoCites}
        where c.memory_id = ${id} and ${title} is not null order by c.by_kind, length(c.by_id), c.by_id`);
      return found.map((row) => ({ kind: row.by_kind as CitingKind, id: String(row.by_id), title: String(row.title) }));
    },
    supersededBy: async (id) =>
      (await db.all(sql`select ${hitColumns} from memories m where m.superseded_by = ${id} order by m.seq`)).map(toHit),
    async successors(id) {
      const found = await db.all(sql`${after(sql`m.id = ${id}`)} select id from after order by depth`);
      return found.map((row) => String(row.id));
    },
    flaggedBy: (id) => flags(sql`m.id = ${id}`, sql`c.memory_id = ${id}`),
    staleIn: (kind, id) =>
      flags(
        sql`m.id in (select o.memory_id from citations o where o.by_kind = ${kind} and o.by_id = ${id})`,
        sql`c.by_kind = ${kind} and c.by_id = ${id}`,
      ),
    openFlags: (limit) =>
      flags(
        raw('1 = 1'),
        sql`(c.by_kind = 'doc' or b.superseded_by is null and b.confirmation_state <> 'rejected' or t.status <> 'done' and t.archived_at is null)`,
        limit,
      ),
    async tasksSaying(said) {
      // Ids hold nothing that `like` reads as a pattern.
      const like = `%${said}%`;
      const found = await db.all(sql`
        select t.id from tasks t where t.title like ${like} or t.description like ${like}
        union select n.task_id from task_notes n where n.content like ${like}
        union select a.task_id from task_acceptance_criteria a where a.content like ${like}`);
      return found.map((row) => String(row.id));
    },
  };
}

const title = raw('coalesce(b.title, d.title, t.title)');
const whoCites = raw(`
  left join memories b on c.by_kind = 'memory' and b.id = c.by_id
  left join docs d on c.by_kind = 'doc' and d.slug = c.by_id
  left join tasks t on c.by_kind = 'task' and t.id = c.by_id`);

/** `after`: of what was superseded, everything that took its place since. */
const after = (first: Sql): Sql => sql`
  with recursive after (old, id, depth) as (
    select m.id, m.superseded_by, 1 from memories m where m.superseded_by is not null and ${first}
    union all
    select after.old, m.superseded_by, after.depth + 1 from after join memories m on m.id = after.id where m.superseded_by is not null and after.depth < 1000
  )`;

/** What took the place of an entry may well speak of it. `old` says which superseded entries it can be about. */
const flagged = (old: Sql, which: Sql, limit: number): Sql => sql`
  ${after(old)}
  select c.by_kind, c.by_id, ${title} as title, c.memory_id, m.superseded_by from citations c
    join memories m on m.id = c.memory_id and m.superseded_by is not null ${whoCites}
  where ${which} and ${title} is not null
    and not (c.by_kind = 'memory' and exists (select 1 from after where after.old = c.memory_id and after.id = c.by_id))
  order by c.by_kind, length(c.by_id), c.by_id, c.memory_id limit ${limit}`;

const toFlag = (row: Row): Flag => ({
  kind: row.by_kind as CitingKind,
  id: String(row.by_id),
  title: String(row.title),
  cites: String(row.memory_id),
  supersededBy: String(row.superseded_by),
});
