import { longestTerm, trigrams } from '#lib/terms.ts';
import type { SearchReads, TaskFilter } from '../port.ts';
import { type Db, raw, type Sql, sql } from './sql.ts';
import { hitColumns, toHit, where } from './task-rows.ts';
import { countUpTo, labelsOf } from './tasks-read.ts';

const tasks: Searched = { index: 'task_search', rows: 'tasks t', seq: 't.seq' };

/** Full-text search is the one place where the databases need statements of their own. Both are handed the same
 *  terms and yield the newest matches; ranking is a rule. */
export function searchReads(db: Db): SearchReads {
  const engine = engines[db.engine];
  const match = (wanted: string[][], how: Match, filter: TaskFilter, limit: number): Sql =>
    matching(db, tasks, hitColumns, wanted, how, where(filter), limit);
  return {
    candidates: async (wanted, how, filter, limit) => (await db.all(match(wanted, how, filter, limit))).map(toHit),
    labels: (ids) => labelsOf(db, ids),
    countCandidates: (wanted, how, filter, atMost) =>
      countUpTo(db, sql`select 1 as one from (${match(wanted, { ...how, titleOnly: false }, filter, atMost + 1)}) matched`, atMost),
    async wordsLike(word, edits = longestTerm) {
      for (const statement of engine.beforeWords) await db.all(statement);
      const { length } = [...word];
      const found = await db.all(engine.wordsLike(word, raw(`between ${length - edits} and ${length + edits}`)));
      return found.map((row) => String(row.word));
    },
  };
}

/** An index, and the rows that it is about. */
export interface Searched {
  index: string;
  rows: string;
  seq: string;
}

/** `isAny`: one group is enough; else each of them must match. */
type Match = { prefix: boolean; titleOnly: boolean; isAny?: true };

/** Rows whose text matches, newest first. */
export function matching(db: Db, of: Searched, columns: Sql, wanted: string[][], how: Match, filter: Sql, limit: number): Sql {
  const { query, key, matches } = engines[db.engine];
  const index = raw(of.index);
  return sql`
    select ${columns} from ${index} s join ${raw(of.rows)} on ${raw(of.seq)} = ${key}
    where ${matches(index, query(wanted, how))} and ${filter} order by ${key} desc limit ${limit}`;
}

/** A row for each text that matches, whatever it is about: to count them no row of theirs is read. */
export function matchesOf(db: Db, of: Searched, wanted: string[][], how: Match): Sql {
  const { query, matches } = engines[db.engine];
  return sql`select 1 as one from ${raw(of.index)} s where ${matches(raw(of.index), query(wanted, how))}`;
}

interface Engine {
  query(wanted: string[][], how: Match): string;
  key: Sql;
  matches(index: Sql, query: string): Sql;
  beforeWords: Sql[];
  wordsLike(word: string, length: Sql): Sql;
}

const sqlite: Engine = {
  query: (wanted, { prefix, titleOnly, isAny }) => {
    const query = grouped(wanted, (term) => `"${term}"${prefix ? '*' : ''}`, isAny ? ' OR ' : ' AND ', ' OR ');
    return titleOnly ? `{title} : (${query})` : query;
  },
  key: raw('s.rowid'),
  matches: (index, query) => sql`${index} match ${query}`,
  beforeWords: [],
  wordsLike: (word, length) => {
    const any = trigrams(word)
      .map((gram) => `"${gram}"`)
      .join(' OR ');
    return sql`
      select w.word from word_grams g join words w on w.id = g.rowid
      where word_grams match ${any} and length(w.word) ${length} order by g.rank, w.id limit 200`;
  },
};

const postgres: Engine = {
  query: (wanted, { prefix, titleOnly, isAny }) => {
    const mark = `${prefix || titleOnly ? ':' : ''}${prefix ? '*' : ''}${titleOnly ? 'A' : ''}`;
    return grouped(wanted, (term) => `'${term}'${mark}`, isAny ? ' | ' : ' & ', ' | ');
  },
  key: raw('s.seq'),
  matches: (_, query) => sql`s.doc @@ cast(${query} as tsquery)`,
  // Short words share few trigrams; the rule that follows is the judge, so the net is wide.
  beforeWords: [sql`select set_config('pg_trgm.similarity_threshold', '0.1', true)`],
  wordsLike: (word, length) => sql`
    select word from words where word % ${word} and length(word) ${length} order by similarity(word, ${word}) desc, word limit 200`,
};

const engines = { sqlite, postgres };

/** A group matches by any of its words. Words hold letters and digits only, so quotes are all they need. */
const grouped = (wanted: string[][], quoted: (term: string) => string, between: string, or: string): string =>
  wanted.map((any) => `(${any.map(quoted).join(or)})`).join(between);
