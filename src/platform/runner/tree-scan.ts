import { lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { TreeSnapshot } from '#runs/model/tree.ts';
import type { Git } from '../port.ts';

/** Folders and files of tools, which are not output of a skill. */
export const ignoredNames = new Set(['.git', 'node_modules', '.cleo']);
export const maxScannedFiles = 50_000;

/** Lists every file below a folder with size and times, without reading it or following links. A tree with more than
 *  `maxScannedFiles` is described by `listChanged`, the files that git reports as changed. */
export async function scanTree(root: string, listChanged: () => Promise<string[] | undefined>): Promise<TreeSnapshot> {
  const files: TreeSnapshot['files'] = new Map();
  const folders = [''];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    for (const entry of listEntries(join(root, folder))) {
      if (ignoredNames.has(entry.name)) continue;
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
      if (entry.isDirectory()) folders.push(path);
      else if (files.size >= maxScannedFiles) return createCoarseSnapshot(root, await listChanged());
      else addFile(files, root, path);
    }
  }
  return { files, isCoarse: false };
}

/** Files below `folder` that differ from the last commit; undefined if git fails. */
export async function listChangedFiles(git: Pick<Git, 'getPrefix' | 'listChanges'>, folder: string): Promise<string[] | undefined> {
  try {
    const prefix = (await git.getPrefix(folder)) ?? '';
    // Git reports paths from the top of the checkout.
    return (await git.listChanges(folder)).flatMap(({ path }) => (path.startsWith(prefix) ? [path.slice(prefix.length)] : []));
  } catch {
    return undefined;
  }
}

export function listEntries(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    // No permission, or removed since it was listed.
    return [];
  }
}

function addFile(files: TreeSnapshot['files'], root: string, path: string): void {
  try {
    const { size, mtimeMs, ctimeMs } = lstatSync(join(root, path));
    files.set(path, { size, mtimeMs, ctimeMs });
  } catch {
    // Removed since it was listed.
  }
}

/** Holds only the changed files. A deleted file is not in it. */
function createCoarseSnapshot(root: string, paths: string[] | undefined): TreeSnapshot {
  const files: TreeSnapshot['files'] = new Map();
  for (const path of paths ?? []) if (!path.split('/').some((part) => ignoredNames.has(part))) addFile(files, root, path);
  return { files, isCoarse: true, ...(paths ? {} : { isUnknown: true }) };
}
