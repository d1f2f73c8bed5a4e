import type { TaskId } from '#core/model/scalars.ts';
import { maxTermLength, toTrigrams } from '#lib/terms.ts';
import type { SearchReads, TaskFilter } from '../../port/tasks.ts';
import { countUpTo } from '../queries.ts';
import { queryLists } from '../query-lists.ts';
import { type Db, raw, type Sql, sql } from '../sql.ts';
import { parseTaskHit, taskHitColumns } from '../tasks/rows.ts';
import { whereTask } from '../tasks/where-task.ts';

const taskTarget: SearchTarget = { index: 'task_search', rows: 'tasks t', seq: 't.seq' };

/** Full-text search is the only place where each database needs its own statements. Both receive the same terms and return
 *  the newest matches; a rule ranks them. */
export function createSearchReads(db: Db): SearchReads {
  const engine = engines[db.engine];
  const selectCandidates = (groups: string[][], options: MatchOptions, filter: TaskFilter, limit: number): Sql =>
    selectMatches(db, taskTarget, taskHitColumns, groups, options, whereTask(filter), limit);
  return {
    findCandidates: async (groups, options, filter, limit) =>
      (await db.all(selectCandidates(groups, options, filter, limit))).map(parseTaskHit),
    getLabels: (ids) => getLabels(db, ids),
    countCandidates: (groups, options, filter, atMost) =>
      countUpTo(
        db,
        sql`select 1 as one from (${selectCandidates(groups, { ...options, titleOnly: false }, filter, atMost + 1)}) matched`,
        atMost,
      ),
    async findSimilarWords(word, edits = maxTermLength) {
      for (const statement of engine.setup) await db.all(statement);
      const { length } = [...word];
      const found = await db.all(engine.selectSimilarWords(word, raw(`between ${length - edits} and ${length + edits}`)));
      return found.map((row) => String(row.word));
    },
  };
}

/** A full-text index and the table that it indexes. */
export interface SearchTarget {
  index: string;
  rows: string;
  seq: string;
}

/** With `isAny`, one matching group is enough; otherwise every group must match. */
type MatchOptions = { prefix: boolean; titleOnly: boolean; isAny?: true };

/** Selects the rows whose text matches, newest first. */
export function selectMatches(
  db: Db,
  target: SearchTarget,
  columns: Sql,
  groups: string[][],
  options: MatchOptions,
  filter: Sql,
  limit: number,
): Sql {
  const { formatQuery, key, whereMatches } = engines[db.engine];
  const index = raw(target.index);
  return sql`
    select ${columns} from ${index} s join ${raw(target.rows)} on ${raw(target.seq)} = ${key}
    where ${whereMatches(index, formatQuery(groups, options))} and ${filter} order by ${key} desc limit ${limit}`;
}

/** Selects a constant for each text that matches, so that counting reads the index only. */
export function selectBareMatches(db: Db, target: SearchTarget, groups: string[][], options: MatchOptions): Sql {
  const { formatQuery, whereMatches } = engines[db.engine];
  return sql`select 1 as one from ${raw(target.index)} s where ${whereMatches(raw(target.index), formatQuery(groups, options))}`;
}

interface SearchEngine {
  formatQuery(groups: string[][], options: MatchOptions): string;
  key: Sql;
  whereMatches(index: Sql, query: string): Sql;
  setup: Sql[];
  selectSimilarWords(word: string, length: Sql): Sql;
}

const sqlite: SearchEngine = {
  formatQuery: (groups, { prefix, titleOnly, isAny }) => {
    const query = formatGroups(groups, (term) => `"${term}"${prefix ? '*' : ''}`, isAny ? ' OR ' : ' AND ', ' OR ');
    return titleOnly ? `{title} : (${query})` : query;
  },
  key: raw('s.rowid'),
  whereMatches: (index, query) => sql`${index} match ${query}`,
  setup: [],
  selectSimilarWords: (word, length) => {
    const any = toTrigrams(word)
      .map((gram) => `"${gram}"`)
      .join(' OR ');
    return sql`
      select w.word from word_grams g join words w on w.id = g.rowid
      where word_grams match ${any} and length(w.word) ${length} order by g.rank, w.id limit 200`;
  },
};

const postgres: SearchEngine = {
  formatQuery: (groups, { prefix, titleOnly, isAny }) => {
    const mark = `${prefix || titleOnly ? ':' : ''}${prefix ? '*' : ''}${titleOnly ? 'A' : ''}`;
    return formatGroups(groups, (term) => `'${term}'${mark}`, isAny ? ' | ' : ' & ', ' | ');
  },
  key: raw('s.seq'),
  whereMatches: (_, query) => sql`s.doc @@ cast(${query} as tsquery)`,
  // Short words share few trigrams. The threshold is low, because a rule filters the words afterwards.
  setup: [sql`select set_config('pg_trgm.similarity_threshold', '0.1', true)`],
  selectSimilarWords: (word, length) => sql`
    select word from words where word % ${word} and length(word) ${length} order by similarity(word, ${word}) desc, word limit 200`,
};

const engines = { sqlite, postgres };

/** A group matches if any of its words does. Words contain only letters and digits, so quotes are enough. */
const formatGroups = (groups: string[][], quote: (term: string) => string, between: string, or: string): string =>
  groups.map((any) => `(${any.map(quote).join(or)})`).join(between);

const getLabels = (db: Db, ids: TaskId[]): Promise<Map<TaskId, string[]>> =>
  queryLists(
    db,
    ids,
    (some) => sql`select task_id as id, label as item from task_labels where task_id in ${some} order by task_id, position`,
  );
