import type { IndexEntry, Operation } from './define.ts';

/** What the index holds of an operation: data only. */
export type IndexRow = Omit<IndexEntry, 'load'> & { file: string; exported: string };

export const entryOf = (row: IndexRow): IndexEntry => ({ ...row, load: () => loadOperation(row) });

/** The build puts its own way of finding a part in the place of this one. */
const loadOperation = async ({ file, exported }: IndexRow): Promise<Operation> => (await import(/* @vite-ignore */ `./${file}`))[exported];
