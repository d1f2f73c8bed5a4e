import type { Sql, SqlValue } from './sql.ts';

/** Formats `(?, ?), (?, ?)` for a multi-row insert. */
export function listRows(items: (SqlValue | undefined)[][]): Sql {
  const [first = []] = items;
  const values = new Array<SqlValue>(items.length * first.length);
  const parts = new Array<string>(values.length + 1).fill(', ');
  // A batch has tens of thousands of values, so both lists are allocated once.
  let at = 0;
  for (const item of items) {
    parts[at] = '), (';
    for (let i = 0; i < item.length; i++) values[at++] = item[i] ?? null;
  }
  parts[0] = '(';
  parts[at] = ')';
  return { parts, values };
}
