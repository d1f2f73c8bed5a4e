import { cpSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { tempFolder } from './run-folder.ts';

/** The folders of the running test, in the order in which they were created. */
const folders = new Set<string>();

/** Includes a folder in the copies that are made when a call fails. */
export const addFolder = (folder: string): void => void folders.add(folder);

/** Returns true if no folder of the test is left. */
export function removeFolder(folder: string): boolean {
  folders.delete(folder);
  return folders.size === 0;
}

const isBelow = (path: string, folder: string): boolean => path === folder || path.startsWith(join(folder, '/'));

export const isInFolder = (path: string): boolean => [...folders].some((folder) => isBelow(path, folder));

/** A copy of all folders of a test. */
export interface FolderCopy {
  restore(): void;
  /** Deletes the restored folders and the copy. */
  remove(): void;
}

/** A property test opens hundreds of projects, which have nothing to do with each other. */
const maxFolders = 8;

/** Copies the folders of the test, or returns undefined if a file cannot be read. */
export function copyFolders(path: string): FolderCopy | undefined {
  const copy = mkdtempSync(join(tempFolder, 'cleo-copy-'));
  const isCopied = (folder: string): boolean => existsSync(folder) && (folders.size <= maxFolders || isBelow(path, folder));
  const originals = [...folders].filter(isCopied);
  const clear = (): void => {
    for (const original of originals) rmSync(original, { recursive: true, force: true });
  };
  const remove = (): void => {
    clear();
    rmSync(copy, { recursive: true, force: true });
  };
  try {
    for (const [i, original] of originals.entries()) copyFolder(original, join(copy, String(i)));
  } catch {
    rmSync(copy, { recursive: true, force: true });
    return undefined;
  }
  const restore = (): void => {
    clear();
    for (const [i, original] of originals.entries()) copyFolder(join(copy, String(i)), original);
  };
  return { restore, remove };
}

/** SQLite creates the index of its log again; another connection may be changing it. */
const copyFolder = (from: string, to: string): void =>
  cpSync(from, to, { recursive: true, preserveTimestamps: true, verbatimSymlinks: true, filter: (path) => !path.endsWith('-shm') });
