import {
  closeSync,
  copyFileSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statfsSync,
  statSync,
  writeSync,
} from 'node:fs';
import { dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { CleoError } from '../errors/error.ts';
import type { Files } from './port.ts';

export const files: Files = {
  exists: existsSync,
  readText: (path) =>
    // A look first: an exception for a file that is not there costs more than the file.
    guarded(path, () => (existsSync(path) ? readFileSync(path, 'utf8') : undefined)),
  writeWhole: (path, text) =>
    guarded(path, () => {
      const beside = `${path}.tmp-${process.pid}`;
      try {
        const file = openSync(beside, 'w');
        try {
          const bytes = Buffer.from(text);
          for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at);
          fsyncSync(file);
        } finally {
          closeSync(file);
        }
        renameSync(beside, path);
      } catch (error) {
        rmSync(beside, { force: true });
        throw error;
      }
    }),
  list: (folder) =>
    guarded(folder, () =>
      (existsSync(folder) ? readdirSync(folder) : []).map((name) => ({
        name,
        size: statSync(join(folder, name), { throwIfNoEntry: false })?.size ?? 0,
      })),
    ),
  makeFolder: (path) => guarded(path, () => void mkdirSync(path, { recursive: true })),
  rename: (from, to) => guarded(from, () => renameSync(from, to)),
  copy: (from, to) => guarded(to, () => copyFileSync(from, to)),
  remove: (path) => guarded(path, () => rmSync(path, { force: true })),
  inside(root, path) {
    const target = resolve(root, path);
    const folder = guarded(path, () => realpathSync(nearestExisting(dirname(target))));
    const place = relative(realpathSync(root), join(folder, relative(nearestExisting(dirname(target)), target)));
    const isOutside = place === '' || place === '..' || place.startsWith(`..${sep}`) || isAbsolute(place);
    const isLink =
      existsSync(target) &&
      guarded(path, () => realpathSync(target) !== join(realpathSync(dirname(target)), target.slice(dirname(target).length + 1)));
    if (isOutside || isLink) throw new CleoError('E_FILE_ERROR', { path, problem: 'lies outside the project', fix: 'cleo export' });
    const first = place.split(sep)[0]?.toLowerCase();
    if (first === '.cleo' || first === '.git')
      throw new CleoError('E_FILE_ERROR', { path, problem: `lies inside ${first}`, fix: 'cleo export' });
    if (existsSync(target) && !statSync(target).isFile())
      throw new CleoError('E_FILE_ERROR', { path, problem: 'is not a plain file', fix: 'cleo export' });
    return target;
  },
  isNetwork(path) {
    // NFS, SMB, SMB2, CIFS, FUSE-less AFS and 9P by their magic numbers on Linux.
    const magics = [0x6969, 0x517b, 0xfe534d42, 0xff534d42, 0x5346414f, 0x01021997];
    try {
      return process.platform === 'linux' && magics.includes(statfsSync(path).type);
    } catch {
      return false;
    }
  },
};

function nearestExisting(folder: string): string {
  while (!existsSync(folder) && dirname(folder) !== folder) folder = dirname(folder);
  return folder;
}

const problems: Record<string, string> = {
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EROFS: 'the file system is read-only',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
  EFBIG: 'the file-size limit is reached',
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
    const problem = problems[(error as NodeJS.ErrnoException).code ?? ''];
    if (!problem) throw error;
    throw new CleoError('E_FILE_ERROR', { path, problem, fix: 'cleo doctor' }, { cause: error });
  }
}
