import { type TaskId, toTaskNumber } from '#core/model/scalars.ts';
import { joinTerms, markEdges } from '#lib/terms.ts';
import { listRows } from '../list-rows.ts';
import { type Db, raw, type Sql, splitChunks, sql } from '../sql.ts';
import { createWordTable, type WordTable } from './word-table.ts';

interface IndexedText {
  title: string;
  rest: string[];
}

/** `seq` is the number of the task. */
export type TaskText = IndexedText & { seq: number };

/** Terms joined by spaces. */
interface IndexRow {
  seq: number;
  title: string;
  rest: string;
}

export const indexTasks = (db: Db, texts: TaskText[], storedWords?: WordTable): Promise<void> =>
  indexTexts(db, 'task_search', texts, storedWords);

/** `storedWords` are words that the same transaction has added before. Without it, each batch of an import would offer the same common
 *  words to the vocabulary again. */
export async function indexTexts(
  db: Db,
  index: string,
  texts: (IndexedText & { seq: number })[],
  storedWords = createWordTable(),
): Promise<void> {
  const engine = engines[db.engine];
  const vocabulary = new Set<string>();
  for (const some of splitTexts(texts)) {
    const titles = joinTerms(some.map(({ title }) => title));
    const rests = joinTerms(some.map(({ rest }) => rest.join('\n')));
    const docs = some.map(({ seq }, i) => ({ seq, title: titles[i]!, rest: rests[i]! }));
    for (const { title, rest } of docs) {
      storedWords.addNewWords(title, vocabulary);
      storedWords.addNewWords(rest, vocabulary);
    }
    await db.run(engine.index(raw(index), docs));
  }
  for (const some of splitChunks([...vocabulary], 400)) await engine.addWords(db, some);
}

/** SQLite writes the new part of its index to disk whenever another statement begins, and merges small parts again and again. Parts of
 *  64 texts took three times as long as parts of this many. */
export const maxIndexedTexts = 1000;
/** The terms of longer texts take seconds, after which PostgreSQL ends an idle transaction. */
const maxIndexedLength = 1 << 20;

export const measureText = ({ title, rest }: IndexedText): number => rest.reduce((length, text) => length + text.length, title.length);

/** Checks whether texts of this total length are indexed with one statement. */
export const isFullPart = (count: number, length: number): boolean => count >= maxIndexedTexts || length >= maxIndexedLength;

/** Splits texts into parts that are indexed with one statement. */
function* splitTexts<T extends IndexedText>(texts: T[]): Generator<T[]> {
  let part: T[] = [];
  let length = 0;
  for (const text of texts) {
    part.push(text);
    length += measureText(text);
    if (!isFullPart(part.length, length)) continue;
    yield part;
    part = [];
    length = 0;
  }
  if (part.length > 0) yield part;
}

export const unindexTask = (db: Db, id: TaskId): Promise<void> => db.run(engines[db.engine].remove(raw('task_search'), toTaskNumber(id)));

export const unindexMemory = (db: Db, seq: number): Promise<void> => db.run(engines[db.engine].remove(raw('memory_search'), seq));

interface IndexEngine {
  index(index: Sql, docs: IndexRow[]): Sql;
  remove(index: Sql, seq: number): Sql;
  /** Adds words to the vocabulary that is searched for similar words after a typo. */
  addWords(db: Db, words: string[]): Promise<void>;
}

const sqlite: IndexEngine = {
  index: (index, docs) => sql`insert into ${index} (rowid, title, rest) values ${listRows(docs.map((d) => [d.seq, d.title, d.rest]))}`,
  remove: (index, seq) => sql`delete from ${index} where rowid = ${seq}`,
  async addWords(db, words) {
    const added = await db.all(
      sql`insert into words (word) values ${listRows(words.map((word) => [word]))} on conflict do nothing returning id, word`,
    );
    if (added.length > 0)
      await db.run(sql`insert into word_grams (rowid, word) values ${listRows(added.map((row) => [row.id, markEdges(String(row.word))]))}`);
  },
};

const postgres: IndexEngine = {
  index: (index, docs) =>
    sql`
      insert into ${index} (seq, doc) select cast(seq as integer), cast(doc as tsvector)
      from (values ${listRows(docs.map((d) => [d.seq, formatLexemes(d)]))}) as docs (seq, doc)`,
  remove: (index, seq) => sql`delete from ${index} where seq = ${seq}`,
  addWords: (db, words) => db.run(sql`insert into words (word) values ${listRows(words.map((word) => [word]))} on conflict do nothing`),
};

/** Terms contain only letters and digits, so they need no escaping. Weight A marks the title. */
const formatLexemes = ({ title, rest }: IndexRow): string => {
  const format = (terms: string, position: string): string[] =>
    terms.split(' ').flatMap((word) => (word === '' ? [] : [`'${word}':${position}`]));
  return [...new Set([...format(title, '1A'), ...format(rest, '2')])].join(' ');
};

const engines = { sqlite, postgres };
