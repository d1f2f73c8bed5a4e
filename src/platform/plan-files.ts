import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, type Stats } from 'node:fs';
import { dirname, join } from 'node:path';
import { convertFileErrors, writeTemporary } from './files.ts';
import type { PlanFiles } from './plan-port.ts';

const planLink = 'link';

const namePattern = /^[\w@.:-]{1,150}$/;

const toStat = ({ size, mtimeMs }: Stats): string => `${size} ${mtimeMs}`;

const noThrow = { throwIfNoEntry: false } as const;

function listFolder(folder: string, name: string, found: Map<string, string>): void {
  const path = join(folder, name);
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (!stats) return;
  if (!stats.isDirectory()) {
    found.set(name, planLink);
    return;
  }
  for (const entry of readdirSync(path)) {
    if (!namePattern.test(entry) || entry.includes('.tmp-')) continue;
    // `join` for each of 10,000 files would take as long as reading their sizes.
    const stats = lstatSync(`${path}/${entry}`, noThrow);
    if (stats?.isFile()) found.set(`${name}/${entry}`, toStat(stats));
    else if (stats?.isSymbolicLink()) found.set(`${name}/${entry}`, planLink);
  }
}

export const planFiles: PlanFiles = {
  list: (folder) =>
    convertFileErrors(folder, () => {
      const found = new Map<string, string>();
      const stats = lstatSync(folder, { throwIfNoEntry: false });
      if (!stats?.isDirectory()) return found;
      for (const entry of readdirSync(folder, { withFileTypes: true }))
        if (entry.isDirectory() || entry.isSymbolicLink()) listFolder(folder, entry.name, found);
      return found;
    }),
  read: (folder, name, maxBytes) =>
    convertFileErrors(name, () => {
      const path = join(folder, name);
      const stats = lstatSync(path, { throwIfNoEntry: false });
      return stats?.isFile() && stats.size <= maxBytes ? readFileSync(path) : undefined;
    }),
  write: (folder, name, text) =>
    convertFileErrors(name, () => {
      const path = join(folder, name);
      createFolders(folder, dirname(path));
      // Git gives the files it writes the same mode.
      writeTemporary(
        path,
        text,
        0o666,
        (fresh) => {
          renameSync(fresh, path);
          return true;
        },
        false,
      );
      return toStat(lstatSync(path));
    }),
  remove: (folder, name) => convertFileErrors(name, () => rmSync(join(folder, name), { force: true })),
};

const created = new Set<string>();

/** Creates the folders of a file, once per process for each. A link is rejected, because it could lead outside `.cleo`. */
function createFolders(root: string, folder: string): void {
  if (created.has(folder) && existsSync(folder)) return;
  for (const each of [root, folder]) {
    const stats = lstatSync(each, { throwIfNoEntry: false });
    if (stats && !stats.isDirectory()) throw Object.assign(new Error('not a folder'), { code: 'ENOTDIR' });
    if (!stats) mkdirSync(each, { recursive: true });
  }
  created.add(folder);
}
