/** A statement in the subset of SQL that both databases read: text between values, placeholders left to the dialect. */
export interface Sql {
  parts: string[];
  values: Value[];
}

export type Value = string | number | null;
export type Row = Record<string, string | number | null>;

/** What a dialect hands to the statements of `store/sql`. */
export interface Db {
  engine: 'sqlite' | 'postgres';
  all(statement: Sql): Promise<Row[]>;
  run(statement: Sql): Promise<void>;
}

/** Values become placeholders; a nested statement is spliced in. */
export function sql(strings: TemplateStringsArray, ...inputs: (Value | undefined | Sql)[]): Sql {
  const parts = [strings[0] ?? ''];
  const values: Value[] = [];
  inputs.forEach((input, i) => {
    const tail = strings[i + 1] ?? '';
    if (typeof input === 'object' && input !== null) {
      parts[parts.length - 1] += input.parts[0] ?? '';
      parts.push(...input.parts.slice(1));
      values.push(...input.values);
      parts[parts.length - 1] += tail;
    } else {
      values.push(input ?? null);
      parts.push(tail);
    }
  });
  return { parts, values };
}

export const raw = (text: string): Sql => ({ parts: [text], values: [] });

export function join(items: Sql[], separator: string): Sql {
  return items.reduce((all, item, i) => (i === 0 ? item : sql`${all}${raw(separator)}${item}`), raw(''));
}

/** `(?, ?, ?)` for `in`; the caller never asks with an empty list. */
export const inList = (items: Value[]): Sql => ({ parts: ['(', ...Array(items.length - 1).fill(', '), ')'], values: items });

/** `(?, ?), (?, ?)` for a multi-row insert. */
export function rows(items: (Value | undefined)[][]): Sql {
  const values: Value[] = [];
  const parts: string[] = [];
  // A batch has tens of thousands of values: a pair of index and value for each is what its memory would be spent on.
  for (const item of items)
    for (let i = 0; i < item.length; i++) {
      parts.push(i > 0 ? ', ' : parts.length > 0 ? '), (' : '(');
      values.push(item[i] ?? null);
    }
  parts.push(')');
  return { parts, values };
}

/** Both databases limit the placeholders of one statement. */
export function chunks<T>(items: T[], size: number): T[][] {
  const out: T[][] = [];
  for (let i = 0; i < items.length; i += size) out.push(items.slice(i, i + size));
  return out;
}

export const text = (value: string | number | null | undefined): string | undefined =>
  value === null || value === undefined ? undefined : String(value);
