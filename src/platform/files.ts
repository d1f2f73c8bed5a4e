import {
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
  statfsSync,
  statSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { CleoError } from '#core/errors/error.ts';
import type { Files } from './port.ts';

export const files: Files = {
  exists: existsSync,
  isFolder: (path) => lookedAt(path)?.isDirectory() ?? false,
  isSame: (a, b) => a === b || isOne(statSync(a, { throwIfNoEntry: false }), statSync(b, { throwIfNoEntry: false })),
  readText: (path) =>
    // A look first: an exception for a file that is not there costs more than the file.
    guarded(path, () => (existsSync(path) ? readFileSync(path, 'utf8') : undefined)),
  writeWhole: (path, text) =>
    guarded(path, () => {
      // A link stays a link, and a private file private.
      const target = existsSync(path) ? realpathSync(path) : path;
      const mode = statSync(target, { throwIfNoEntry: false })?.mode ?? 0o666;
      beside(target, text, mode, (fresh) => {
        renameSync(fresh, target);
        return true;
      });
    }),
  writeNew: (path, text) => guarded(path, () => beside(path, text, 0o666, (fresh) => place(fresh, path))),
  appendLine: (path, line) =>
    guarded(path, () => {
      const isNew = !existsSync(path);
      if (isNew) mkdirSync(dirname(path), { recursive: true });
      const file = openSync(path, 'a+');
      try {
        // In one write, which the system puts behind all others: two would let another process come between them.
        const bytes = Buffer.from(`${endsInALine(file) ? '' : '\n'}${line}\n`);
        if (writeSync(file, bytes) < bytes.length) throw Object.assign(new Error('cut short'), { code: 'ENOSPC' });
        fsyncSync(file);
      } finally {
        closeSync(file);
      }
      if (isNew) syncFolder(dirname(path));
    }),
  list: (folder) =>
    guarded(folder, () =>
      (existsSync(folder) ? readdirSync(folder) : []).flatMap((name) => {
        const found = statSync(join(folder, name), { throwIfNoEntry: false });
        return found ? [{ name, size: found.size, changedAt: found.mtime.toISOString() }] : [];
      }),
    ),
  find: (folder, ending) =>
    guarded(folder, () =>
      (existsSync(folder) ? readdirSync(folder, { recursive: true, withFileTypes: true }) : [])
        .filter((entry) => entry.isFile() && entry.name.endsWith(ending))
        .map((entry) => join(entry.parentPath, entry.name))
        .sort(),
    ),
  makeFolder: (path) => guarded(path, () => void mkdirSync(path, { recursive: true })),
  rename: (from, to) =>
    guarded(from, () => {
      renameSync(from, to);
      syncFolder(dirname(to));
    }),
  copy: (from, to) =>
    guarded(to, () => {
      copyFileSync(from, to);
      sync(to);
    }),
  sync: (path) => guarded(path, () => sync(path)),
  remove: (path) => guarded(path, () => rmSync(path, { force: true })),
  sha256: (path) =>
    guarded(path, () => {
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
  alone(path, work) {
    const lock = `${path}.lock`;
    guarded(path, () => takeLock(lock));
    try {
      return work();
    } finally {
      rmSync(lock, { force: true });
    }
  },
  inside(root, path, fix = 'cleo export') {
    const target = resolve(root, path);
    const outside = (problem: string): CleoError => new CleoError('E_FILE_ERROR', { path, problem, fix });
    const above = nearestExisting(dirname(target));
    let folder: string;
    try {
      folder = realpathSync(above);
    } catch (error) {
      // A link that leads nowhere, or round in a circle.
      if (['ENOENT', 'ELOOP'].includes((error as NodeJS.ErrnoException).code ?? '')) throw outside('leads nowhere');
      throw fileError(path, error);
    }
    const place = relative(realpathSync(root), join(folder, relative(above, target)));
    if (place === '' || place === '..' || place.startsWith(`..${sep}`) || isAbsolute(place)) throw outside('lies outside the project');
    const reserved = place.split(sep).find((part) => ['.cleo', '.git'].includes(part.toLowerCase()));
    if (reserved) throw outside(`lies inside ${reserved.toLowerCase()}`);
    const found = guarded(path, () => lstatSync(target, { throwIfNoEntry: false }));
    if (found?.isSymbolicLink()) throw outside('is a link');
    if (found && !found.isFile()) throw outside('is not a plain file');
    return target;
  },
  isNetwork(path) {
    // NFS, SMB, SMB2, CIFS, AFS and 9P by their magic numbers on Linux.
    const magics = [0x6969, 0x517b, 0xfe534d42, 0xff534d42, 0x5346414f, 0x01021997];
    try {
      return process.platform === 'linux' && magics.includes(statfsSync(path).type);
    } catch {
      return false;
    }
  },
};

/** What has a name that cannot be is not there. */
function lookedAt(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENAMETOOLONG') return undefined;
    throw error;
  }
}

type Identity = { ino: number; dev: number } | undefined;
const isOne = (a: Identity, b: Identity): boolean => !!a && !!b && a.ino !== 0 && a.ino === b.ino && a.dev === b.dev;

/** Writes the text into a file beside `path`, synced where that is asked for, and lets `put` bring it to its place; what `put` leaves
 *  is removed. */
export function beside(path: string, text: string | Uint8Array, mode: number, put: (fresh: string) => boolean, isSynced = true): boolean {
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
    const isPut = put(fresh);
    if (isSynced) syncFolder(dirname(path));
    return isPut;
  } finally {
    // What takes away whole trees takes longer to load than all of this takes.
    if (existsSync(fresh)) unlinkSync(fresh);
  }
}

/** An empty file does, too. */
export function endsInALine(file: number): boolean {
  const { size } = fstatSync(file);
  const last = Buffer.alloc(1);
  return size === 0 || (readSync(file, last, 0, 1, size - 1) === 1 && last[0] === 0x0a);
}

/** A link never replaces what is there, so of two at once one wins; where links are not to be had, a rename. */
export function place(fresh: string, path: string): boolean {
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

/** A new name is on disk only once its folder is. Not every system lets a folder be synced, and none needs telling twice. */
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

const patienceMs = 2000;
const abandonedMs = 10_000;

/** Waits for its turn. What is done alone takes milliseconds: an old lock was left by a process that died. */
function takeLock(lock: string): void {
  for (let waited = 0; ; waited += 20) {
    try {
      closeSync(openSync(lock, 'wx'));
      return;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
    const age = Date.now() - (statSync(lock, { throwIfNoEntry: false })?.mtimeMs ?? Date.now());
    if (age > abandonedMs) rmSync(lock, { force: true });
    else if (waited >= patienceMs) throw new CleoError('E_LOCK_TIMEOUT', { waitedMs: patienceMs, path: lock });
    else Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20);
  }
}

/** Up to what is there, be it a link that leads nowhere. */
export function nearestExisting(folder: string): string {
  let ctx = folder;
  while (!isThere(ctx) && basename(ctx) !== '') ctx = dirname(ctx);
  return ctx;
}

function isThere(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch (error) {
    // Below something that is no folder there is nothing.
    if ((error as NodeJS.ErrnoException).code === 'ENOTDIR') return false;
    throw fileError(path, error);
  }
}

const problems: Record<string, string> = {
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
  EEXIST: 'is in the way',
  ENOTDIR: 'a part of the path is not a folder',
  EISDIR: 'is a folder',
  ENOENT: 'does not exist',
  ENAMETOOLONG: 'the name is too long',
  ELOOP: 'too many links',
};

export function guarded<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw fileError(path, error);
  }
}

export function fileError(path: string, error: unknown): unknown {
  const problem = problems[(error as NodeJS.ErrnoException).code ?? ''];
  return problem ? new CleoError('E_FILE_ERROR', { path, problem, fix: 'cleo doctor' }, { cause: error }) : error;
}
