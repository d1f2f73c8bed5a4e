import { lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Snapshot } from '#runs/model/tree.ts';
import type { Git } from './port.ts';

/** What is not anybody's work: what tools keep, and what we do. */
export const passedOver = new Set(['.git', 'node_modules', '.cleo']);
export const mostFiles = 50_000;

/** Every file below a folder, as it can be told without reading it. Links are not followed. `status` tells what git sees, for trees
 *  with more files than are looked at. */
export async function scanTree(root: string, status: () => Promise<string[] | undefined>): Promise<Snapshot> {
  const files: Snapshot['files'] = new Map();
  const folders = [''];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    for (const entry of entriesOf(join(root, folder))) {
      if (passedOver.has(entry.name)) continue;
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
      if (entry.isDirectory()) folders.push(path);
      else if (files.size >= mostFiles) return coarse(root, await status());
      else look(files, root, path);
    }
  }
  return { files, isCoarse: false };
}

/** What differs from what is committed, below a folder; undefined where git does not answer. */
export async function seenByGit(git: Pick<Git, 'placeOf' | 'status'>, folder: string): Promise<string[] | undefined> {
  try {
    const place = (await git.placeOf(folder)) ?? '';
    // Paths are those of the whole checkout, of which the folder may be a part.
    return (await git.status(folder)).flatMap(({ path }) => (path.startsWith(place) ? [path.slice(place.length)] : []));
  } catch {
    return undefined;
  }
}

export function entriesOf(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    // Not ours to read, or gone meanwhile.
    return [];
  }
}

function look(files: Snapshot['files'], root: string, path: string): void {
  try {
    const { size, mtimeMs, ctimeMs } = lstatSync(join(root, path));
    files.set(path, { size, mtimeMs, ctimeMs });
  } catch {
    // Gone meanwhile.
  }
}

/** Only what differs from what is committed; a file that is gone has no size. */
function coarse(root: string, paths: string[] | undefined): Snapshot {
  const files: Snapshot['files'] = new Map();
  for (const path of paths ?? []) if (!path.split('/').some((part) => passedOver.has(part))) look(files, root, path);
  return { files, isCoarse: true, ...(paths ? {} : { isBlind: true }) };
}
