import {
  chmodSync,
  closeSync,
  copyFileSync,
  existsSync,
  fstatSync,
  fsyncSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  realpathSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { CleoError } from '#core/errors/error.ts';
import type { FileSystem } from './port.ts';

export const files: FileSystem = {
  exists: existsSync,
  isFolder: (path) => statIfExists(path)?.isDirectory() ?? false,
  isSameFile: (a, b) => a === b || isSameInode(statIfExists(a), statIfExists(b)),
  readText: (path) =>
    // An exception for a missing file costs more than this check.
    convertFileErrors(path, () => (existsSync(path) ? readFileSync(path, 'utf8') : undefined)),
  writeAtomic: (path, text, isPrivate) =>
    convertWriteErrors(path, () => {
      // Follows a link, so that it stays a link, and keeps the mode of the file.
      const target = existsSync(path) ? realpathSync(path) : path;
      const mode = statSync(target, { throwIfNoEntry: false })?.mode ?? chooseMode(path, 0o666, isPrivate);
      writeTemporary(target, text, mode, (fresh) => {
        renameSync(fresh, target);
        return true;
      });
    }),
  writeNew: (path, text, isPrivate) =>
    convertWriteErrors(path, () => writeTemporary(path, text, chooseMode(path, 0o666, isPrivate), (fresh) => linkOrRename(fresh, path))),
  appendLine: (path, line) =>
    convertWriteErrors(path, () => {
      const isNew = !existsSync(path);
      if (isNew) mkdirSync(dirname(path), { recursive: true, mode: chooseMode(path, 0o777) });
      const file = openSync(path, 'a+', chooseMode(path, 0o666));
      try {
        // One write, because another process could write between two.
        const bytes = Buffer.from(`${endsWithNewline(file) ? '' : '\n'}${line}\n`);
        if (writeSync(file, bytes) < bytes.length) throw Object.assign(new Error('short write'), { code: 'ENOSPC' });
        fsyncSync(file);
      } finally {
        closeSync(file);
      }
      if (isNew) syncFolder(dirname(path));
    }),
  list: (folder) =>
    convertFileErrors(folder, () =>
      (existsSync(folder) ? readdirSync(folder) : []).flatMap((name) => {
        const found = statSync(join(folder, name), { throwIfNoEntry: false });
        return found ? [{ name, size: found.size, changedAt: found.mtime.toISOString() }] : [];
      }),
    ),
  find: (folder, ending) =>
    convertFileErrors(folder, () =>
      (existsSync(folder) ? readdirSync(folder, { recursive: true, withFileTypes: true }) : [])
        .filter((entry) => entry.isFile() && entry.name.endsWith(ending))
        .map((entry) => join(entry.parentPath, entry.name))
        .sort(),
    ),
  createFolder: (path, isPrivate) =>
    convertWriteErrors(path, () => void mkdirSync(path, { recursive: true, mode: chooseMode(path, 0o777, isPrivate) })),
  rename: (from, to) =>
    convertFileErrors(from, () => {
      renameSync(from, to);
      syncFolder(dirname(to));
    }),
  copy: (from, to) =>
    convertFileErrors(to, () => {
      copyFileSync(from, to);
      sync(to);
    }),
  sync: (path) => convertFileErrors(path, () => sync(path)),
  remove: (path) => convertFileErrors(path, () => rmSync(path, { force: true })),
  makeExecutable: (path) => convertFileErrors(path, () => chmodSync(path, statSync(path).mode | 0o111)),
  sha256: (path) =>
    convertFileErrors(path, () => {
      const hash = process.getBuiltinModule('node:crypto').createHash('sha256');
      const file = openSync(path, 'r');
      try {
        const part = Buffer.alloc(1 << 20);
        for (let length = readSync(file, part); length > 0; length = readSync(file, part)) hash.update(part.subarray(0, length));
      } finally {
        closeSync(file);
      }
      return hash.digest('hex');
    }),
  withLock: async (path, work) => (await import('./lock-file.ts')).withFileLock(path, work),
  resolveInside(root, path, fix) {
    const target = resolve(root, path);
    const reject = (problem: string): CleoError => new CleoError('E_FILE_ERROR', { path, problem, fix });
    const above = findNearestExisting(dirname(target));
    let folder: string;
    try {
      folder = realpathSync(above);
    } catch (error) {
      // The link is broken or part of a cycle.
      if (['ENOENT', 'ELOOP'].includes((error as NodeJS.ErrnoException).code ?? '')) throw reject('is a broken link');
      throw toFileError(path, error);
    }
    const place = relative(realpathSync(root), join(folder, relative(above, target)));
    if (place === '' || !isBelow(place)) throw reject('is outside the project');
    const reserved = place.split(sep).find((part) => ['.cleo', '.git'].includes(part.toLowerCase()));
    if (reserved) throw reject(`is inside ${reserved.toLowerCase()}`);
    const found = convertFileErrors(path, () => lstatSync(target, { throwIfNoEntry: false }));
    if (found?.isSymbolicLink()) throw reject('is a link');
    if (found && !found.isFile()) throw reject('is not a regular file');
    return target;
  },
};

/** Rejects a link below an entry of `.cleo`: a clone can bring one that leads to any file of the user. The entries themselves are checked
 *  before a store is opened, and links in worktrees are those of the work. */
const convertWriteErrors = <T>(path: string, work: () => T): T =>
  convertFileErrors(path, () => {
    for (let current = path; /[\\/]\.cleo[\\/](?!worktrees)[^\\/]+[\\/]/.test(current); current = dirname(current))
      if (lstatSync(current, { throwIfNoEntry: false })?.isSymbolicLink()) throw Object.assign(new Error(), { code: 'ELOOP' });
    return work();
  });

/** Chooses 0600 or 0700 for what only the owner may access: by default all of `.cleo`, because the store and the traces contain what
 *  agents read and wrote. */
const chooseMode = (path: string, open: number, isPrivate = /[\\/]\.cleo(?:[\\/]|$)/.test(path)): number =>
  isPrivate ? open & 0o700 : open;

/** A file whose name is too long does not exist, nor does one below a file. */
export function statIfExists(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch (error) {
    if (['ENAMETOOLONG', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return undefined;
    throw error;
  }
}

type InodeIdentity = { ino: number; dev: number } | undefined;
const isSameInode = (a: InodeIdentity, b: InodeIdentity): boolean => !!a && !!b && a.ino !== 0 && a.ino === b.ino && a.dev === b.dev;

/** Writes the text to a temporary file next to `path` and calls `publish`, which moves it to its final name. Removes the
 *  temporary file if `publish` leaves it. */
export function writeTemporary(
  path: string,
  text: string | Uint8Array,
  mode: number,
  publish: (fresh: string) => boolean,
  isSynced = true,
): boolean {
  const fresh = `${path}.tmp-${process.pid}-${Math.random().toString(36).slice(2, 8)}`;
  try {
    const file = openSync(fresh, 'wx', mode);
    try {
      const bytes = typeof text === 'string' ? Buffer.from(text) : text;
      for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at);
      if (isSynced) fsyncSync(file);
    } finally {
      closeSync(file);
    }
    const isPublished = publish(fresh);
    if (isSynced) syncFolder(dirname(path));
    return isPublished;
  } finally {
    // Not `rmSync`: loading its implementation takes longer than the rest of this function.
    if (existsSync(fresh)) unlinkSync(fresh);
  }
}

/** True for an empty file. */
export function endsWithNewline(file: number): boolean {
  const { size } = fstatSync(file);
  const last = Buffer.alloc(1);
  return size === 0 || (readSync(file, last, 0, 1, size - 1) === 1 && last[0] === 0x0a);
}

/** Gives the file its final name; returns false if that name is in use. A link never replaces a file, so that one of two
 *  processes wins. File systems without links get a rename. */
export function linkOrRename(fresh: string, path: string): boolean {
  try {
    linkSync(fresh, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST' || existsSync(path)) return false;
    renameSync(fresh, path);
  }
  return true;
}

function sync(path: string): void {
  const file = openSync(path, 'r+');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** Syncs a folder, without which a new file name can be lost in a crash. Not all systems support it. */
function syncFolder(folder: string): void {
  try {
    const file = openSync(folder, 'r');
    try {
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
  } catch {
    // The content itself is synced.
  }
}

/** Returns the path or its nearest ancestor that exists; a broken link exists. */
export function findNearestExisting(folder: string): string {
  let current = folder;
  while (!hasEntry(current) && basename(current) !== '') current = dirname(current);
  return current;
}

function hasEntry(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch (error) {
    // A path below a file does not exist.
    if ((error as NodeJS.ErrnoException).code === 'ENOTDIR') return false;
    throw toFileError(path, error);
  }
}

/** A function, so that a successful call does not create the table. */
const getFileProblems = (): Record<string, string> => ({
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EROFS: 'the file system is read-only',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
  EFBIG: 'the file-size limit is reached',
  EIO: 'the disk reports an error',
  EMFILE: 'too many files are open',
  ENFILE: 'too many files are open',
  EBUSY: 'is in use',
  EEXIST: 'already exists',
  ENOTDIR: 'a part of the path is not a folder',
  EISDIR: 'is a folder',
  ENOENT: 'does not exist',
  ENAMETOOLONG: 'the name is too long',
  ELOOP: 'leads through a link',
});

/** True if a path relative to some root stays below that root. */
export const isBelow = (path: string): boolean => path !== '..' && !path.startsWith(`..${sep}`) && !isAbsolute(path);

export function convertFileErrors<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw toFileError(path, error);
  }
}

export function toFileError(path: string, error: unknown): unknown {
  const problem = getFileProblems()[(error as NodeJS.ErrnoException).code ?? ''];
  return problem ? new CleoError('E_FILE_ERROR', { path, problem, fix: 'cleo doctor' }, { cause: error }) : error;
}

/** A second change in this time could leave the same time on the file. */
const settledMs = 1000;
/** The state of a file that does not exist. */
const missing = '';

/** Returns a function that reads and parses files. A server reads its settings for every call: it looks at the state of the file then, reads
 *  it again after a change only, and parses it only if the text is another one. */
export function createFileCache<T>(parse: (text: string | undefined) => T): (path: string) => T {
  const known = new Map<string, { state: string | undefined; text: string | undefined; content: T }>();
  return (path) => {
    const last = known.get(path);
    // Before the text, so that a change in between is noticed by the next call.
    const state = readState(path);
    if (last && state !== undefined && last.state === state) return last.content;
    const text = state === missing ? undefined : files.readText(path);
    const content = last && last.text === text ? last.content : parse(text);
    known.set(path, { state, text, content });
    return content;
  };
}

/** Describes the state of a file, which is another one after a change; undefined if it changed a moment ago. */
function readState(path: string): string | undefined {
  try {
    const status = statSync(path, { throwIfNoEntry: false });
    if (!status) return missing;
    return Date.now() - status.ctimeMs < settledMs ? undefined : `${status.ino} ${status.size} ${status.ctimeMs}`;
  } catch {
    // Reading the file reports the problem.
    return undefined;
  }
}

/** Returns the path without links. Node's own function looks at each folder of the path, and a server calls it for each write. The other one
 *  also changes the case of letters on macOS and Windows, where a project would get another record of trust. */
export const resolveLinks = (path: string): string => (process.platform === 'linux' ? realpathSync.native(path) : realpathSync(path));

/** Writes a file atomically that only its owner can read. With `soon` it is not synced, so a power failure can lose it. */
export function writePrivate(path: string, content: string | Uint8Array, durability: 'durable' | 'soon' = 'durable'): void {
  const publish = (fresh: string): boolean => {
    renameSync(fresh, path);
    return true;
  };
  writeTemporary(path, content, 0o600, publish, durability === 'durable');
}

/** Writes the file unless it exists; returns false if it does. */
export const createPrivate = (path: string, content: string | Uint8Array): boolean =>
  writeTemporary(path, content, 0o600, (fresh) => linkOrRename(fresh, path));
