import { seqOf, type TaskId } from '#core/model/scalars.ts';
import { edged, terms } from '#lib/terms.ts';
import { chunks, type Db, join, raw, rows, type Sql, sql } from './sql.ts';

interface Text {
  title: string;
  rest: string[];
}

export type SearchText = Text & { id: TaskId };

interface Doc {
  seq: number;
  title: string[];
  rest: string[];
}

export const indexTasks = (db: Db, texts: SearchText[]): Promise<void> =>
  indexTexts(
    db,
    'task_search',
    texts.map((text) => ({ ...text, seq: seqOf(text.id) })),
  );

export async function indexTexts(db: Db, index: string, texts: (Text & { seq: number })[]): Promise<void> {
  const engine = engines[db.engine];
  const vocabulary = new Set<string>();
  for (const some of chunks(texts, 100)) {
    const docs = some.map((t) => ({ seq: t.seq, title: terms(t.title), rest: t.rest.flatMap(terms) }));
    for (const { title, rest } of docs)
      for (const words of [title, rest]) for (const word of words) if (word.length > 2) vocabulary.add(word);
    await db.run(engine.index(raw(index), docs));
  }
  for (const some of chunks([...vocabulary], 400)) await engine.learn(db, some);
}

export const unindexTask = (db: Db, id: TaskId): Promise<void> => db.run(engines[db.engine].forget(seqOf(id)));

interface Engine {
  index(index: Sql, docs: Doc[]): Sql;
  forget(seq: number): Sql;
  /** Adds words to the vocabulary that typos are compared with. */
  learn(db: Db, words: string[]): Promise<void>;
}

const sqlite: Engine = {
  index: (index, docs) =>
    sql`insert into ${index} (rowid, title, rest) values ${rows(docs.map((d) => [d.seq, d.title.join(' '), d.rest.join(' ')]))}`,
  forget: (seq) => sql`delete from task_search where rowid = ${seq}`,
  async learn(db, words) {
    const fresh = await db.all(
      sql`insert into words (word) values ${rows(words.map((word) => [word]))} on conflict do nothing returning id, word`,
    );
    if (fresh.length > 0)
      await db.run(sql`insert into word_grams (rowid, word) values ${rows(fresh.map((row) => [row.id, edged(String(row.word))]))}`);
  },
};

const postgres: Engine = {
  index: (index, docs) =>
    sql`insert into ${index} (seq, doc) values ${join(
      docs.map((d) => sql`(${d.seq}, cast(${lexemes(d)} as tsvector))`),
      ', ',
    )}`,
  forget: (seq) => sql`delete from task_search where seq = ${seq}`,
  learn: (db, words) => db.run(sql`insert into words (word) values ${rows(words.map((word) => [word]))} on conflict do nothing`),
};

/** Terms hold letters and digits only, so they need no escaping; weight A marks the title. */
const lexemes = (doc: Doc): string =>
  [...new Set([...doc.title.map((word) => `'${word}':1A`), ...doc.rest.map((word) => `'${word}':2`)])].join(' ');

const engines = { sqlite, postgres };
