import { type TaskId, toTaskNumber } from '#core/model/scalars.ts';
import { joinTerms, markEdges } from '#lib/terms.ts';
import { listPlaces, listRows } from '../list-rows.ts';
import { type Db, raw, type Sql, type SqlValue, splitChunks, sql } from '../sql.ts';
import { createWordTable, type WordTable } from './word-table.ts';

interface IndexedText {
  title: string;
  /** All other texts, on lines of their own. */
  rest: string;
}

/** `seq` is the number of the task. */
export type TaskText = IndexedText & { seq: number };

/** The terms of several texts, joined by spaces. */
interface IndexedTerms {
  seqs: readonly { seq: number }[];
  titles: string[];
  rests: string[];
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
    const rests = joinTerms(some.map(({ rest }) => rest));
    for (let i = 0; i < some.length; i++) {
      storedWords.addNewWords(titles[i]!, vocabulary);
      storedWords.addNewWords(rests[i]!, vocabulary);
    }
    await db.run(engine.index(raw(index), { seqs: some, titles, rests }));
  }
  for (const some of splitChunks([...vocabulary], 400)) await engine.addWords(db, some);
}

/** Joins the texts of a task that search finds besides the title. Most tasks have only a description, which is not copied. */
export const joinRest = (description: string | undefined, labels: readonly string[], notes: readonly { text: string }[]): string =>
  labels.length + notes.length === 0 ? (description ?? '') : [description ?? '', ...labels, ...notes.map(({ text }) => text)].join('\n');

/** SQLite writes the new part of its index to disk whenever another statement begins, and merges small parts again and again. Parts of
 *  64 texts took three times as long as parts of this many. */
export const maxIndexedTexts = 1000;
/** The terms of longer texts take seconds, after which PostgreSQL ends an idle transaction. */
const maxIndexedLength = 1 << 20;

export const measureText = ({ title, rest }: IndexedText): number => title.length + rest.length;

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
  index(index: Sql, terms: IndexedTerms): Sql;
  remove(index: Sql, seq: number): Sql;
  /** Adds words to the vocabulary that is searched for similar words after a typo. */
  addWords(db: Db, words: string[]): Promise<void>;
}

const sqlite: IndexEngine = {
  index: (index, { seqs, titles, rests }) => {
    const values = new Array<SqlValue>(seqs.length * 3).fill(null);
    for (let i = 0; i < seqs.length; i++) {
      values[i * 3] = seqs[i]!.seq;
      values[i * 3 + 1] = titles[i]!;
      values[i * 3 + 2] = rests[i]!;
    }
    return sql`insert into ${index} (rowid, title, rest) values ${{ parts: listPlaces(3, seqs.length), values }}`;
  },
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
  index: (index, { seqs, titles, rests }) =>
    sql`
      insert into ${index} (seq, doc) select cast(seq as integer), cast(doc as tsvector)
      from (values ${listRows(seqs.map(({ seq }, i) => [seq, formatLexemes(titles[i]!, rests[i]!)]))}) as docs (seq, doc)`,
  remove: (index, seq) => sql`delete from ${index} where seq = ${seq}`,
  addWords: (db, words) => db.run(sql`insert into words (word) values ${listRows(words.map((word) => [word]))} on conflict do nothing`),
};

/** Terms contain only letters and digits, so they need no escaping. Weight A marks the title. */
const formatLexemes = (title: string, rest: string): string => {
  const format = (terms: string, position: string): string[] =>
    terms.split(' ').flatMap((word) => (word === '' ? [] : [`'${word}':${position}`]));
  return [...new Set([...format(title, '1A'), ...format(rest, '2')])].join(' ');
};

const engines = { sqlite, postgres };
