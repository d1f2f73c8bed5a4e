import type { Db, SqlRow } from '../sql/sql.ts';

/** A table as its database describes it. */
export interface TableShape {
  name: string;
  /** In alphabetical order: the order in the table depends on the migrations of the engine. */
  columns: string[];
  /** The columns of the primary key, in its order. */
  key: string[];
  /** The tables that its foreign keys refer to. */
  references: string[];
}

/** One side of a move: the tables of a database, inside one transaction. */
export interface Tables {
  db: Db;
  list(): Promise<TableShape[]>;
  /** Counts the rows, and measures the longest one in characters. */
  measure(table: TableShape): Promise<{ rows: number; longest: number }>;
  /** Reads all rows in the order of the key, by the bytes of a text. */
  readPages(table: TableShape, maxRows: number): AsyncIterable<SqlRow[]>;
  clear(table: TableShape): Promise<void>;
  insert(table: TableShape, rows: SqlRow[]): Promise<void>;
  /** Runs `work` without triggers, which would fill tables that are copied. */
  withoutTriggers(work: () => Promise<void>): Promise<void>;
  /** Makes the next row that is inserted without a number follow the copied ones. */
  advanceSequences(tables: TableShape[]): Promise<void>;
}

/** Indexes of full-text search, which differ between the engines, and ranks. They are built from the copied rows. */
const derivedTables = ['task_search', 'memory_search', 'words', 'word_grams', 'task_ranks'];

/** Lists the tables to copy: every table of the schema but those that are built from others. */
export const listCopiedTables = async (tables: Tables): Promise<TableShape[]> =>
  (await tables.list()).filter(({ name }) => !derivedTables.includes(name));

/** Sorts tables so that a table follows those that it refers to. References in a circle are checked at the commit. */
export function sortByReferences(tables: TableShape[]): TableShape[] {
  const sorted: TableShape[] = [];
  const visited = new Set<string>();
  const visit = (table: TableShape): void => {
    if (visited.has(table.name)) return;
    visited.add(table.name);
    for (const name of table.references) {
      const referenced = tables.find((one) => one.name === name);
      if (referenced) visit(referenced);
    }
    sorted.push(table);
  };
  for (const table of tables) visit(table);
  return sorted;
}
