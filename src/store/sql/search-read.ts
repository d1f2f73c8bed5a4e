import type { TaskId } from '../../model/scalars.ts';
import { trigrams } from '../../rules/terms.ts';
import type { SearchCandidate, SearchReads, TaskFilter } from '../port.ts';
import { chunks, type Db, inList, type Sql, sql } from './sql.ts';
import { hitColumns, toHit, where } from './task-rows.ts';
import { countUpTo } from './tasks-read.ts';

/** Full-text search is the one place where the databases need statements of their own. Both are handed the same
 *  terms and yield the newest matches; ranking is a rule. */
export function searchReads(db: Db): SearchReads {
  const engine = engines[db.engine];
  return {
    async candidates(wanted, how, filter, limit) {
      const found = (await db.all(engine.match(wanted, how, filter, limit))).map(toHit);
      const labels = await labelsOf(
        db,
        found.map((hit) => hit.id),
      );
      return found.map((hit): SearchCandidate => ({ ...hit, labels: labels.get(hit.id) ?? [] }));
    },
    countCandidates: (wanted, how, filter, atMost) =>
      countUpTo(db, sql`select 1 as one from (${engine.match(wanted, { ...how, titleOnly: false }, filter, atMost + 1)}) matched`, atMost),
    async wordsLike(word) {
      for (const statement of engine.beforeWords) await db.all(statement);
      return (await db.all(engine.wordsLike(word))).map((row) => String(row.word));
    },
  };
}

interface Engine {
  match(wanted: string[][], how: { prefix: boolean; titleOnly: boolean }, filter: TaskFilter, limit: number): Sql;
  beforeWords: Sql[];
  wordsLike(word: string): Sql;
}

const sqlite: Engine = {
  match: (wanted, how, filter, limit) => {
    const query = allOf(wanted, (term) => `"${term}"${how.prefix ? '*' : ''}`, ' AND ', ' OR ');
    return sql`
      select ${hitColumns} from task_search s join tasks t on t.seq = s.rowid
      where task_search match ${how.titleOnly ? `{title} : (${query})` : query} and ${where(filter)} order by s.rowid desc limit ${limit}`;
  },
  beforeWords: [],
  wordsLike: (word) => {
    const any = trigrams(word)
      .map((gram) => `"${gram}"`)
      .join(' OR ');
    return sql`select w.word from word_grams g join words w on w.id = g.rowid where word_grams match ${any} order by g.rank, w.id limit 200`;
  },
};

const postgres: Engine = {
  match: (wanted, how, filter, limit) => {
    const mark = `${how.prefix || how.titleOnly ? ':' : ''}${how.prefix ? '*' : ''}${how.titleOnly ? 'A' : ''}`;
    const query = allOf(wanted, (term) => `'${term}'${mark}`, ' & ', ' | ');
    return sql`
      select ${hitColumns} from task_search s join tasks t on t.seq = s.seq
      where s.doc @@ cast(${query} as tsquery) and ${where(filter)} order by s.seq desc limit ${limit}`;
  },
  // Short words share few trigrams; the rule that follows is the judge, so the net is wide.
  beforeWords: [sql`select set_config('pg_trgm.similarity_threshold', '0.1', true)`],
  wordsLike: (word) => sql`select word from words where word % ${word} order by similarity(word, ${word}) desc, word limit 200`,
};

const engines = { sqlite, postgres };

/** Each group must match, by any of its words. Words hold letters and digits only, so quotes are all they need. */
const allOf = (wanted: string[][], quoted: (term: string) => string, and: string, or: string): string =>
  wanted.map((any) => `(${any.map(quoted).join(or)})`).join(and);

async function labelsOf(db: Db, ids: TaskId[]): Promise<Map<TaskId, string[]>> {
  const labels = new Map<TaskId, string[]>();
  for (const some of chunks(ids, 500)) {
    const found = await db.all(sql`select task_id, label from task_labels where task_id in ${inList(some)} order by task_id, position`);
    for (const row of found) labels.set(String(row.task_id), [...(labels.get(String(row.task_id)) ?? []), String(row.label)]);
  }
  return labels;
}
