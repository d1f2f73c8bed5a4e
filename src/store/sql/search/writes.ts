import { type TaskId, toTaskNumber } from '#core/model/scalars.ts';
import { markEdges, toTerms } from '#lib/terms.ts';
import { listRows } from '../list-rows.ts';
import { type Db, joinSql, raw, type Sql, splitChunks, sql } from '../sql.ts';

interface IndexedText {
  title: string;
  rest: string[];
}

export type TaskText = IndexedText & { id: TaskId };

interface IndexRow {
  seq: number;
  title: string[];
  rest: string[];
}

export const indexTasks = (db: Db, texts: TaskText[], storedWords?: Set<string>): Promise<void> =>
  indexTexts(
    db,
    'task_search',
    texts.map((text) => ({ ...text, seq: toTaskNumber(text.id) })),
    storedWords,
  );

/** `storedWords` are words that the same transaction has added before. Without it, each batch of an import would offer the same common
 *  words to the vocabulary again. */
export async function indexTexts(
  db: Db,
  index: string,
  texts: (IndexedText & { seq: number })[],
  storedWords = new Set<string>(),
): Promise<void> {
  const engine = engines[db.engine];
  const vocabulary = new Set<string>();
  for (const some of splitChunks(texts, 100)) {
    const docs = some.map((t) => ({ seq: t.seq, title: toTerms(t.title), rest: t.rest.flatMap(toTerms) }));
    for (const { title, rest } of docs)
      for (const words of [title, rest]) for (const word of words) if (word.length > 2 && !storedWords.has(word)) vocabulary.add(word);
    await db.run(engine.index(raw(index), docs));
  }
  for (const some of splitChunks([...vocabulary], 400)) await engine.addWords(db, some);
  for (const word of vocabulary) if (word.length <= maxCopiedLength && storedWords.size < maxStoredWords) storedWords.add(word);
}

/** V8 stores a longer part of a text as a reference to the whole text, which would then stay in memory. */
const maxCopiedLength = 12;
const maxStoredWords = 50_000;

export const unindexTask = (db: Db, id: TaskId): Promise<void> => db.run(engines[db.engine].remove(raw('task_search'), toTaskNumber(id)));

export const unindexMemory = (db: Db, seq: number): Promise<void> => db.run(engines[db.engine].remove(raw('memory_search'), seq));

interface IndexEngine {
  index(index: Sql, docs: IndexRow[]): Sql;
  remove(index: Sql, seq: number): Sql;
  /** Adds words to the vocabulary that is searched for similar words after a typo. */
  addWords(db: Db, words: string[]): Promise<void>;
}

const sqlite: IndexEngine = {
  index: (index, docs) =>
    sql`insert into ${index} (rowid, title, rest) values ${listRows(docs.map((d) => [d.seq, d.title.join(' '), d.rest.join(' ')]))}`,
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
    sql`insert into ${index} (seq, doc) values ${joinSql(
      docs.map((d) => sql`(${d.seq}, cast(${formatLexemes(d)} as tsvector))`),
      ', ',
    )}`,
  remove: (index, seq) => sql`delete from ${index} where seq = ${seq}`,
  addWords: (db, words) => db.run(sql`insert into words (word) values ${listRows(words.map((word) => [word]))} on conflict do nothing`),
};

/** Terms contain only letters and digits, so they need no escaping. Weight A marks the title. */
const formatLexemes = (doc: IndexRow): string =>
  [...new Set([...doc.title.map((word) => `'${word}':1A`), ...doc.rest.map((word) => `'${word}':2`)])].join(' ');

const engines = { sqlite, postgres };
