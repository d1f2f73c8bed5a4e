import type { MemoryHit } from '#memory/model/memory.ts';
import type { MemoryCandidate, MemoryFilter, MemoryReads } from '../../port/memory.ts';
import { countUpTo, queryInChunks } from '../queries.ts';
import { queryLists } from '../query-lists.ts';
import { type SearchTarget, selectBareMatches, selectMatches } from '../search/reads.ts';
import { type Db, raw, type Sql, sql } from '../sql.ts';

import { withSubtree } from '../tasks/subtree.ts';
import { createCitationReads } from './citations.ts';
import { memoryHitColumns, toMemoryHit, toMemoryRecord } from './rows.ts';

const memoryTarget: SearchTarget = { index: 'memory_search', rows: 'memories m', seq: 'm.seq' };

export function createMemoryReads(db: Db): MemoryReads {
  const selectCandidates = (
    groups: string[][],
    options: { prefix: boolean; titleOnly: boolean; isAny?: true },
    filter: MemoryFilter,
    limit: number,
  ): Sql => selectMatches(db, memoryTarget, sql`${memoryHitColumns}, m.seq`, groups, options, whereMemory(filter), limit);
  const selectHits = async (rest: Sql): Promise<MemoryHit[]> =>
    (await db.all(sql`select ${memoryHitColumns} from ${rest}`)).map(toMemoryHit);
  return {
    ...createCitationReads(db),
    listForTask: (taskId) =>
      selectHits(sql`memory_tasks l join memories m on m.id = l.memory_id where l.task_id = ${taskId} order by m.seq desc`),
    listOpenDecisions: (limit) =>
      selectHits(sql`memories m where m.type = 'decision' and m.confirmation_state = 'proposed' order by m.seq desc limit ${limit}`),
    async listDecided() {
      const found = await db.all(
        sql`select m.* from memories m where m.type = 'decision' and m.confirmation_state <> 'proposed' order by m.seq`,
      );
      return found.map((row) => toMemoryRecord(row, [], []));
    },
    async get(id) {
      const [row] = await db.all(sql`select m.* from memories m where m.id = ${id}`);
      if (!row) return undefined;
      const tags = await db.all(sql`select tag from memory_tags where memory_id = ${id} order by tag`);
      const tasks = await db.all(sql`select task_id from memory_tasks where memory_id = ${id} order by length(task_id), task_id`);
      return toMemoryRecord(
        row,
        tags.map((tag) => String(tag.tag)),
        tasks.map((task) => String(task.task_id)),
      );
    },
    async getHits(ids) {
      const found = await queryInChunks(db, ids, (some) => sql`select ${memoryHitColumns} from memories m where m.id in ${some}`);
      const byId = new Map(found.map((row) => [String(row.id), toMemoryHit(row)]));
      return ids.flatMap((id) => byId.get(id) ?? []);
    },
    getNewest: async (type) => (await selectHits(sql`memories m where m.type = ${type} order by m.seq desc limit 1`))[0],
    getByDigest: async (digest) => (await selectHits(sql`memories m where m.digest = ${digest}`))[0],
    listForSource: (table, rowid) =>
      selectHits(sql`memories m where m.source_table = ${table} and m.source_rowid = ${rowid} order by m.seq desc`),
    list: (filter, { limit, offset }) =>
      selectHits(sql`memories m where ${whereMemory(filter)} order by m.seq desc limit ${limit} offset ${offset}`),
    count: (filter, atMost) => countUpTo(db, sql`select 1 as one from memories m where ${whereMemory(filter)}`, atMost),
    findCandidates: async (groups, options, filter, limit) =>
      (await db.all(selectCandidates(groups, options, filter, limit))).map(
        (row): MemoryCandidate => ({ ...toMemoryHit(row), seq: Number(row.seq) }),
      ),
    countCandidates: (groups, options, filter, atMost) =>
      countUpTo(
        db,
        Object.keys(filter).length === 0
          ? selectBareMatches(db, memoryTarget, groups, { ...options, titleOnly: false })
          : sql`select 1 as one from (${selectCandidates(groups, { ...options, titleOnly: false }, filter, atMost + 1)}) matched`,
        atMost,
      ),
    getTags: (ids) =>
      queryLists(
        db,
        ids,
        (some) => sql`select memory_id as id, tag as item from memory_tags where memory_id in ${some} order by memory_id, tag`,
      ),
    async getOpenings(ids) {
      const found = await queryInChunks(
        db,
        ids,
        (some) => sql`select m.id, substr(m.content, 1, 4000) as opening from memories m where m.id in ${some}`,
      );
      return new Map(found.map((row) => [String(row.id), String(row.opening)]));
    },
    listNeighbours: (id, side, limit) => selectHits(selectNeighbours(id, side, limit)),
  };
}

/** Selects the entries written before or after one, linked to it or not. */
function selectNeighbours(id: string, side: 'before' | 'after', limit: number): Sql {
  const [beyond, order] = side === 'before' ? [raw('<'), raw('desc')] : [raw('>'), raw('asc')];
  return sql`memories m where m.seq ${beyond} (select o.seq from memories o where o.id = ${id}) order by m.seq ${order} limit ${limit}`;
}

/** Conditions on `memories m`. */
function whereMemory({ type, state, tag, task, inside }: MemoryFilter): Sql {
  let all = raw('1 = 1');
  if (type) all = sql`${all} and m.type = ${type}`;
  if (state) all = sql`${all} and m.confirmation_state = ${state}`;
  if (tag) all = sql`${all} and m.id in (select g.memory_id from memory_tags g where g.tag = ${tag})`;
  if (task) all = sql`${all} and m.id in (select l.memory_id from memory_tasks l where l.task_id = ${task})`;
  if (inside)
    all = sql`${all} and m.id in (${withSubtree(inside)} select l.memory_id from below join memory_tasks l on l.task_id = below.id)`;
  return all;
}
