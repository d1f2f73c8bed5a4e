import type { IndexEntry, Operation } from './define.ts';

/** What the index holds of an operation: data only. */
export type IndexRow = Omit<IndexEntry, 'load' | 'aliases'> & { aliases?: string[]; file: string; exported: string };

export const entryOf = (row: IndexRow): IndexEntry => ({ ...row, aliases: row.aliases ?? none, load: () => loadOperation(row) });

const none: string[] = [];

/** The build puts its own way of finding a part in the place of this one. */
const loadOperation = async ({ file, exported }: IndexRow): Promise<Operation> => (await import(/* @vite-ignore */ `./${file}`))[exported];
