import { CleoError } from '#core/errors/error.ts';
import { computeAllRanks } from '#tasks/rules/all-ranks.ts';
import { rebuildSearch } from '../sql/search/rebuild.ts';
import type { SqlRow } from '../sql/sql.ts';
import { getOpenGraph } from '../sql/tasks/open-graph.ts';
import { replaceRanks } from '../sql/tasks/rank-refresher.ts';
import { markerVersion } from './marker.ts';
import { listCopiedTables, sortByReferences, type TableShape, type Tables } from './tables.ts';

/** The content of a table: the digest covers all rows in the order of the key. */
export interface CopiedTable {
  table: string;
  rows: number;
  digest: string;
}

interface CopyProgress {
  phase: 'copy' | 'index' | 'verify';
  /** Rows that are done, of all rows. */
  done: number;
  total: number;
}

type OnCopyProgress = (progress: CopyProgress) => void;

/** Characters of a page of rows, so that the memory does not depend on the size of the store. */
const maxPageLength = 1 << 20;
const maxPageRows = 500;

/** Copies all tables and builds the search indexes and the ranks. Both sides are transactions of the caller, which commits. */
export async function copyTables(source: Tables, target: Tables, onProgress: OnCopyProgress = () => {}): Promise<CopiedTable[]> {
  const own = await matchTables(source, target);
  const sizes = new Map<string, { rows: number; longest: number }>();
  for (const table of own) sizes.set(table.name, await source.measure(table));
  const total = [...sizes.values()].reduce((sum, { rows }) => sum + rows, 0);
  const copied: CopiedTable[] = [];
  const count = createCounter('copy', total, onProgress);
  await target.withoutTriggers(async () => {
    for (const table of sortByReferences(own)) {
      await target.clear(table);
      const { rows, longest } = sizes.get(table.name)!;
      const read = await digestRows(source, table, longest, async (page) => {
        await target.insert(table, page);
        count(page.length);
      });
      if (read.rows !== rows) throw createMismatchError(table.name, `has ${rows} rows, and ${read.rows} were read`);
      copied.push(read);
    }
    await target.advanceSequences(own);
  });
  onProgress({ phase: 'index', done: total, total });
  await rebuildSearch(
    target.db,
    own.map(({ name }) => name),
  );
  // The backup of an older schema has none.
  if ((await target.list()).some(({ name }) => name === 'task_ranks'))
    await replaceRanks(target.db, computeAllRanks(await getOpenGraph(target.db)));
  return copied.sort((one, other) => (one.table < other.table ? -1 : 1));
}

/** Reads the copy again and compares counts and digests. The marker of the copy is not part of the content. */
export async function verifyCopy(target: Tables, copied: CopiedTable[], onProgress: OnCopyProgress = () => {}): Promise<void> {
  const total = copied.reduce((sum, { rows }) => sum + rows, 0);
  const count = createCounter('verify', total, onProgress);
  const shapes = await listCopiedTables(target);
  for (const { table, rows, digest } of copied) {
    const shape = shapes.find(({ name }) => name === table)!;
    const { longest } = await target.measure(shape);
    const found = await digestRows(target, shape, longest, async ({ length }) => count(length));
    if (found.rows !== rows) throw createMismatchError(table, `has ${rows} rows, and its copy has ${found.rows}`);
    if (found.digest !== digest) throw createMismatchError(table, 'and its copy have different content');
  }
}

function createCounter(phase: CopyProgress['phase'], total: number, onProgress: OnCopyProgress): (rows: number) => void {
  let done = 0;
  return (rows) => {
    done += rows;
    onProgress({ phase, done, total });
  };
}

/** Lists the tables of the source. Throws if the target has other tables or columns, so that none is forgotten. */
async function matchTables(source: Tables, target: Tables): Promise<TableShape[]> {
  const own = await listCopiedTables(source);
  const others = new Map((await listCopiedTables(target)).map((table) => [table.name, table]));
  for (const table of own) {
    const other = others.get(table.name);
    if (!other) throw createMismatchError(table.name, 'is not part of the schema of the new store');
    if (other.columns.join() !== table.columns.join()) throw createMismatchError(table.name, 'has other columns in the new store');
    others.delete(table.name);
  }
  for (const name of others.keys()) throw createMismatchError(name, 'is missing in the present store');
  return own;
}

async function digestRows(
  tables: Tables,
  table: TableShape,
  longest: number,
  onPage: (rows: SqlRow[]) => Promise<void>,
): Promise<CopiedTable> {
  const hash = process.getBuiltinModule('node:crypto').createHash('sha256');
  const maxRows = Math.max(1, Math.min(maxPageRows, Math.floor(maxPageLength / Math.max(1, longest))));
  let rows = 0;
  for await (const page of tables.readPages(table, maxRows)) {
    const content = table.name === 'schema_migrations' ? page.filter(({ version }) => version !== markerVersion) : page;
    for (const row of content) hash.update(`${JSON.stringify(table.columns.map((column) => row[column]))}\n`);
    rows += content.length;
    await onPage(content);
  }
  return { table: table.name, rows, digest: hash.digest('hex') };
}

const createMismatchError = (table: string, problem: string): CleoError =>
  new CleoError('E_CHECKSUM_MISMATCH', {
    what: `table ${table}`,
    problem: `${problem}; nothing was moved, and the present store is unchanged`,
    fix: 'cleo doctor',
  });
