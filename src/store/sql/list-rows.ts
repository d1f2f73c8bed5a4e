import { type Db, pickLength, type Sql, type SqlValue } from './sql.ts';

/** Formats `(?, ?), (?, ?)` for a multi-row insert. */
export function listRows(items: (SqlValue | undefined)[][]): Sql {
  const values = items.flat();
  for (let at = values.indexOf(undefined); at >= 0; at = values.indexOf(undefined, at + 1)) values[at] = null;
  return { parts: listPlaces(items[0]?.length ?? 0, items.length), values: values as SqlValue[] };
}

/** Inserts rows whose values are one list, in statements of at most `maxRows` rows. A batch has tens of thousands of values, so they are
 *  copied once, and statements of the same length share their text. */
export async function insertValues(db: Db, into: string, columns: number, values: SqlValue[], maxRows: number): Promise<void> {
  const texts = new Map<number, string[]>();
  for (let at = 0; at < values.length; ) {
    const rows = pickLength((values.length - at) / columns, maxRows);
    let parts = texts.get(rows);
    if (!parts) {
      parts = listPlaces(columns, rows);
      parts[0] = `insert into ${into} values (`;
      texts.set(rows, parts);
    }
    const end = at + rows * columns;
    await db.run({ parts, values: values.slice(at, end) });
    at = end;
  }
}

/** Lists the texts around the values of rows. */
function listPlaces(columns: number, rows: number): string[] {
  const parts = new Array<string>(columns * rows + 1).fill(', ');
  for (let row = 1; row < rows; row++) parts[row * columns] = '), (';
  parts[0] = '(';
  parts[columns * rows] = ')';
  return parts;
}
