import { type Db, listValues, type SqlRow, sql } from '../sql.ts';
import { createWordTable, type WordTable } from './word-table.ts';
import { indexTexts, maxIndexedTexts } from './writes.ts';

/** Fills the empty search indexes of a store whose rows were copied. Earlier versions do not have all tables. */
export async function rebuildSearch(db: Db, tables: string[]): Promise<void> {
  const storedWords = createWordTable();
  await indexPages(
    db,
    'task_search',
    (after) => sql`select seq, id, title, description as text from tasks where seq > ${after} order by seq limit ${maxIndexedTexts}`,
    async (ids) => [
      ...(await db.all(sql`select task_id as id, label as text from task_labels where task_id in ${listValues(ids)}`)),
      ...(await db.all(sql`select task_id as id, content as text from task_notes where task_id in ${listValues(ids)}`)),
    ],
    storedWords,
  );
  if (!tables.includes('memories')) return;
  await indexPages(
    db,
    'memory_search',
    (after) => sql`select seq, id, title, content as text from memories where seq > ${after} order by seq limit ${maxIndexedTexts}`,
    (ids) => db.all(sql`select memory_id as id, tag as text from memory_tags where memory_id in ${listValues(ids)}`),
    storedWords,
  );
}

async function indexPages(
  db: Db,
  index: string,
  selectPage: (after: number) => Parameters<Db['all']>[0],
  listMore: (ids: string[]) => Promise<SqlRow[]>,
  storedWords: WordTable,
): Promise<void> {
  for (let after = -1; ; ) {
    const rows = await db.all(selectPage(after));
    if (rows.length === 0) return;
    const more = new Map<string, string[]>();
    for (const { id, text } of await listMore(rows.map((row) => String(row.id))))
      more.set(String(id), [...(more.get(String(id)) ?? []), String(text)]);
    const texts = rows.map(({ seq, id, title, text }) => ({
      seq: Number(seq),
      title: String(title),
      rest: [String(text ?? ''), ...(more.get(String(id)) ?? [])].join('\n'),
    }));
    await indexTexts(db, index, texts, storedWords);
    after = Number(rows.at(-1)?.seq);
  }
}
