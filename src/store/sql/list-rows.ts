import { type Db, pickLength, type Sql, type SqlValue } from './sql.ts';

/** Formats `(?, ?), (?, ?)` for a multi-row insert. */
export function listRows(items: (SqlValue | undefined)[][]): Sql {
  const values = items.flat();
  for (let at = values.indexOf(undefined); at >= 0; at = values.indexOf(undefined, at + 1)) values[at] = null;
  return { parts: listPlaces(items[0]?.length ?? 0, items.length), values: values as SqlValue[] };
}

/** Inserts rows whose values are one list, in statements of at most `maxRows` rows. */
export const insertValues = (db: Db, into: string, columns: number, values: SqlValue[], maxRows: number): Promise<void> =>
  insertParts(db, into, { columns, count: values.length / columns, maxRows }, (from, to) => values.slice(from * columns, to * columns));

/** Inserts a row for each item, in statements of at most `maxRows` rows. `setValues` writes the values of an item into the list of its
 *  statement, from position `at`. A batch has tens of thousands of values: each is written once, into a list that never grows. */
export const insertItems = <T>(
  db: Db,
  into: string,
  { columns, maxRows }: { columns: number; maxRows: number },
  items: readonly T[],
  setValues: (values: SqlValue[], at: number, item: T) => void,
): Promise<void> => {
  let values: SqlValue[] = [];
  return insertParts(db, into, { columns, count: items.length, maxRows }, (from, to) => {
    const length = (to - from) * columns;
    // SQLite has copied the values when the statement before this one ended. A server can still be reading them.
    if (values.length === length && db.engine === 'sqlite') values.fill(null);
    else values = new Array<SqlValue>(length).fill(null);
    for (let i = from; i < to; i++) setValues(values, (i - from) * columns, items[i]!);
    return values;
  });
};

/** SQLite allocates memory for each value of a statement while it compiles and for as long as the statement exists. Large statements are no
 *  faster there. For a server, each statement is a message. */
const maxLocalValues = 600;

/** Statements of the same length share their text. */
async function insertParts(
  db: Db,
  into: string,
  { columns, count, maxRows }: { columns: number; count: number; maxRows: number },
  listPart: (from: number, to: number) => SqlValue[],
): Promise<void> {
  const texts = new Map<number, string[]>();
  const limit = db.engine === 'sqlite' ? Math.min(maxRows, Math.floor(maxLocalValues / columns)) : maxRows;
  for (let at = 0; at < count; ) {
    const rows = pickLength(count - at, limit);
    let parts = texts.get(rows);
    if (!parts) {
      parts = listPlaces(columns, rows);
      parts[0] = `insert into ${into} values (`;
      texts.set(rows, parts);
    }
    await db.run({ parts, values: listPart(at, at + rows) });
    at += rows;
  }
}

/** Lists the texts around the values of rows. */
export function listPlaces(columns: number, rows: number): string[] {
  const parts = new Array<string>(columns * rows + 1).fill(', ');
  for (let row = 1; row < rows; row++) parts[row * columns] = '), (';
  parts[0] = '(';
  parts[columns * rows] = ')';
  return parts;
}
