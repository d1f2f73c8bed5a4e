import type { MemoryHit } from '#memory/model/memory.ts';
import type { MemoryCandidate, MemoryFilter, MemoryReads } from '../port-memory.ts';
import { citationReads } from './citations.ts';
import { hitColumns, toHit, toRecord } from './memory-rows.ts';
import { matchesOf, matching, type Searched } from './search-read.ts';
import { chunks, type Db, inList, raw, type Sql, sql } from './sql.ts';
import { below } from './subtree.ts';
import { countUpTo, listsOf } from './tasks-read.ts';

const memories: Searched = { index: 'memory_search', rows: 'memories m', seq: 'm.seq' };

export function memoryReads(db: Db): MemoryReads {
  const match = (
    wanted: string[][],
    how: { prefix: boolean; titleOnly: boolean; isAny?: true },
    filter: MemoryFilter,
    limit: number,
  ): Sql => matching(db, memories, sql`${hitColumns}, m.seq`, wanted, how, where(filter), limit);
  const hits = async (rest: Sql): Promise<MemoryHit[]> => (await db.all(sql`select ${hitColumns} from ${rest}`)).map(toHit);
  return {
    ...citationReads(db),
    about: (taskId) => hits(sql`memory_tasks l join memories m on m.id = l.memory_id where l.task_id = ${taskId} order by m.seq desc`),
    openDecisions: (limit) =>
      hits(sql`memories m where m.type = 'decision' and m.confirmation_state = 'proposed' order by m.seq desc limit ${limit}`),
    async get(id) {
      const [row] = await db.all(sql`select m.* from memories m where m.id = ${id}`);
      if (!row) return undefined;
      const tags = await db.all(sql`select tag from memory_tags where memory_id = ${id} order by tag`);
      const tasks = await db.all(sql`select task_id from memory_tasks where memory_id = ${id} order by length(task_id), task_id`);
      return toRecord(
        row,
        tags.map((tag) => String(tag.tag)),
        tasks.map((task) => String(task.task_id)),
      );
    },
    async hits(ids) {
      const found = new Map<string, MemoryHit>();
      for (const some of chunks(ids, 500))
        for (const hit of await hits(sql`memories m where m.id in ${inList(some)}`)) found.set(hit.id, hit);
      return ids.flatMap((id) => found.get(id) ?? []);
    },
    newest: async (type) => (await hits(sql`memories m where m.type = ${type} order by m.seq desc limit 1`))[0],
    withDigest: async (digest) => (await hits(sql`memories m where m.digest = ${digest}`))[0],
    ofSource: (table, rowid) => hits(sql`memories m where m.source_table = ${table} and m.source_rowid = ${rowid} order by m.seq desc`),
    list: (filter, { limit, offset }) => hits(sql`memories m where ${where(filter)} order by m.seq desc limit ${limit} offset ${offset}`),
    count: (filter, atMost) => countUpTo(db, sql`select 1 as one from memories m where ${where(filter)}`, atMost),
    candidates: async (wanted, how, filter, limit) =>
      (await db.all(match(wanted, how, filter, limit))).map((row): MemoryCandidate => ({ ...toHit(row), seq: Number(row.seq) })),
    countCandidates: (wanted, how, filter, atMost) =>
      countUpTo(
        db,
        Object.keys(filter).length === 0
          ? matchesOf(db, memories, wanted, { ...how, titleOnly: false })
          : sql`select 1 as one from (${match(wanted, { ...how, titleOnly: false }, filter, atMost + 1)}) matched`,
        atMost,
      ),
    tags: (ids) =>
      listsOf(
        db,
        ids,
        (some) => sql`select memory_id as id, tag as item from memory_tags where memory_id in ${some} order by memory_id, tag`,
      ),
    async openings(ids) {
      const found = new Map<string, string>();
      for (const some of chunks(ids, 500))
        for (const row of await db.all(
          sql`select m.id, substr(m.content, 1, 4000) as opening from memories m where m.id in ${inList(some)}`,
        ))
          found.set(String(row.id), String(row.opening));
      return found;
    },
    beside: (id, side, limit) => hits(besides(id, side, limit)),
  };
}

/** Two short lists, each by its own index: entries of the same session, and of the same tasks. */
function besides(id: string, side: 'before' | 'after', limit: number): Sql {
  const [beyond, order] = side === 'before' ? [raw('<'), raw('desc')] : [raw('>'), raw('asc')];
  return sql`memories m where m.seq in (
    select a.seq from (
      select s.seq from memories o join memories s on s.session_id = o.session_id
      where o.id = ${id} and s.seq ${beyond} o.seq order by s.seq ${order} limit ${limit}) a
    union select b.seq from (
      select t.seq from memories o join memory_tasks k on k.memory_id = o.id join memory_tasks l on l.task_id = k.task_id
        join memories t on t.id = l.memory_id
      where o.id = ${id} and t.seq ${beyond} o.seq order by t.seq ${order} limit ${limit}) b
  ) order by m.seq ${order} limit ${limit}`;
}

/** Conditions on `memories m`. */
function where({ type, state, tag, task, inside }: MemoryFilter): Sql {
  let all = raw('1 = 1');
  if (type) all = sql`${all} and m.type = ${type}`;
  if (state) all = sql`${all} and m.confirmation_state = ${state}`;
  if (tag) all = sql`${all} and m.id in (select g.memory_id from memory_tags g where g.tag = ${tag})`;
  if (task) all = sql`${all} and m.id in (select l.memory_id from memory_tasks l where l.task_id = ${task})`;
  if (inside) all = sql`${all} and m.id in (${below(inside)} select l.memory_id from below join memory_tasks l on l.task_id = below.id)`;
  return all;
}
