import { closeSync, constants, fstatSync, opendirSync, openSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { ProjectFacts } from '#detect/rules/facts.ts';
import { isManifest, isPythonTest } from '#detect/rules/manifests.ts';

/** Folders of dependencies and build output. */
const ignoredFolders = new Set(
  'node_modules bower_components vendor target dist build out bin obj venv env site-packages __pycache__ coverage htmlcov Pods DerivedData tmp temp log logs third_party'.split(
    ' ',
  ),
);
/** The only folders with a leading dot that are scanned. */
const scannedDotFolders = new Set(['.github', '.config', '.changeset', '.cargo', '.mvn']);
const limits = { files: 20_000, folders: 4_000, inFolder: 100_000, depth: 12, texts: 150, samples: 5, bytes: 512 * 1024 };

/** Collects the file names of a project and the texts of its manifests. Works breadth-first up to the limits. Does not follow
 *  links, and skips unreadable folders and nested checkouts. */
export function scanProject(root: string): ProjectFacts {
  const files: string[] = [];
  const queue: { folder: string; depth: number }[] = [{ folder: '', depth: 0 }];
  for (let at = 0; at < queue.length && files.length < limits.files; at += 1) {
    const { folder, depth } = queue[at]!;
    const entries = listEntries(join(root, folder));
    if (folder !== '' && entries.some(({ name }) => name === '.git')) continue;
    const prefix = folder === '' ? '' : `${folder}/`;
    for (const { name, isFile } of entries) if (isFile) files.push(prefix + name);
    if (depth >= limits.depth) continue;
    for (const { name, isFolder } of entries)
      if (isFolder && queue.length < limits.folders && (name.startsWith('.') ? scannedDotFolders.has(name) : isScanned(name, folder)))
        queue.push({ folder: prefix + name, depth: depth + 1 });
  }
  files.length = Math.min(files.length, limits.files);
  return { files, texts: readTexts(root, files), above: listParentFiles(root) };
}

/** The top-level `bin` is scanned, because Rails, Symfony and others have scripts there. */
const isScanned = (name: string, folder: string): boolean => !ignoredFolders.has(name) || (name === 'bin' && folder === '');

interface FolderEntry {
  name: string;
  isFile: boolean;
  isFolder: boolean;
}

function listEntries(folder: string): FolderEntry[] {
  const found: FolderEntry[] = [];
  try {
    const open = opendirSync(folder, { bufferSize: 512 });
    try {
      for (let entry = open.readSync(); entry && found.length < limits.inFolder; entry = open.readSync())
        found.push({ name: entry.name, isFile: entry.isFile(), isFolder: entry.isDirectory() });
    } finally {
      open.closeSync();
    }
  } catch {
    // The folder is not readable; skip it.
  }
  return found.sort((a, b) => (a.name < b.name ? -1 : 1));
}

function readTexts(root: string, files: string[]): Map<string, string> {
  const wanted = [...files.filter(isManifest).slice(0, limits.texts), ...files.filter(isPythonTest).slice(0, limits.samples)];
  return new Map(
    wanted.flatMap((path) => {
      const text = readSmallText(join(root, path));
      return text === undefined ? [] : [[path, text] as const];
    }),
  );
}

/** Returns undefined for large files and for anything but regular files. Opens without blocking, because the file may be a pipe. */
function readSmallText(path: string): string | undefined {
  try {
    const file = openSync(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
    try {
      const status = fstatSync(file);
      return status.isFile() && status.size <= limits.bytes ? readFileSync(file, 'utf8') : undefined;
    } finally {
      closeSync(file);
    }
  } catch {
    return undefined;
  }
}

/** Lists the files of the parent folders up to the top of the checkout, where the lock file of a package may be. */
function listParentFiles(root: string): string[] {
  const found: string[] = [];
  let prefix = '';
  for (let folder = root, steps = 0; steps < 6; steps += 1) {
    if (listNames(folder).includes('.git')) return found;
    if (dirname(folder) === folder) break;
    folder = dirname(folder);
    prefix += '../';
    found.push(...listNames(folder).map((name) => prefix + name));
  }
  // Outside a checkout the parent folders are not part of the project.
  return [];
}

function listNames(folder: string): string[] {
  try {
    return readdirSync(folder).slice(0, 1000);
  } catch {
    return [];
  }
}
