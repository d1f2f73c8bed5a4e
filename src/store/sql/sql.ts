/** A statement in the subset of SQL that both databases support: the text around its values. Each dialect formats its own
 *  placeholders. */
export interface Sql {
  parts: string[];
  values: SqlValue[];
}

export type SqlValue = string | number | null;
export type SqlRow = Record<string, string | number | null>;

/** The connection that a dialect passes to the statements in `store/sql`. */
export interface Db {
  engine: 'sqlite' | 'postgres';
  all(statement: Sql): Promise<SqlRow[]>;
  run(statement: Sql): Promise<void>;
  /** Joins the reads that are requested next, until one of them is answered, in one statement. Only where each is a message to a server. */
  joinReads?(): void;
  /** Sends several reads of the same common tables ("with …") as one statement. Only where each is a message to a server. */
  allWith?(tables: Sql, reads: Sql[]): Promise<SqlRow[][]>;
}

/** Values become placeholders; a nested statement is spliced in. */
export function sql(strings: TemplateStringsArray, ...inputs: (SqlValue | undefined | Sql)[]): Sql {
  // The texts of a template are one object for all its uses.
  if (inputs.every(isValue)) return { parts: strings as unknown as string[], values: inputs.map((value) => value ?? null) };
  const parts = [strings[0] ?? ''];
  const values: SqlValue[] = [];
  for (let i = 0; i < inputs.length; i++) {
    const input = inputs[i];
    const tail = strings[i + 1] ?? '';
    if (typeof input === 'object' && input !== null) {
      append(parts, values, input);
      parts[parts.length - 1] += tail;
    } else {
      values.push(input ?? null);
      parts.push(tail);
    }
  }
  return { parts, values };
}

const isValue = (input: SqlValue | undefined | Sql): input is SqlValue | undefined => typeof input !== 'object' || input === null;

export const raw = (text: string): Sql => ({ parts: [text], values: [] });

function append(parts: string[], values: SqlValue[], more: Sql): void {
  parts[parts.length - 1] += more.parts[0] ?? '';
  parts.push(...more.parts.slice(1));
  values.push(...more.values);
}

export function joinSql(items: Sql[], separator: string): Sql {
  const parts = [''];
  const values: SqlValue[] = [];
  for (let i = 0; i < items.length; i++) {
    if (i > 0) parts[parts.length - 1] += separator;
    append(parts, values, items[i]!);
  }
  return { parts, values };
}

/** Formats `(?, ?, ?)` for `in`. `items` must not be empty. */
export const listValues = (items: SqlValue[]): Sql => ({ parts: ['(', ...Array(items.length - 1).fill(', '), ')'], values: items });

/** Splits a list, because both databases limit the placeholders of one statement. The rest of a long list is split into powers of two:
 *  each length is a statement of its own, which has to be compiled and stays in the cache. */
export function splitChunks<T>(items: T[], size: number): T[][] {
  const out: T[][] = [];
  for (let i = 0; i < items.length; i += out.at(-1)!.length) out.push(items.slice(i, i + pickLength(items.length - i, size)));
  return out;
}

const maxAnyLength = 16;

export const pickLength = (left: number, size: number): number =>
  left >= size ? size : left <= maxAnyLength ? left : 2 ** Math.floor(Math.log2(left));

export const toId = (row: SqlRow): string => String(row.id);

type WithoutNull<T> = { [K in keyof T as T[K] extends NonNullable<T[K]> ? K : never]: T[K] } & {
  [K in keyof T as T[K] extends NonNullable<T[K]> ? never : K]?: NonNullable<T[K]>;
};

/** Copies an object without the keys whose value is null or undefined. */
export function omitNull<T extends object>(value: T): WithoutNull<T> {
  const out: Record<string, unknown> = {};
  for (const key in value) {
    const item = value[key];
    if (item !== null && item !== undefined) out[key] = item;
  }
  return out as WithoutNull<T>;
}
