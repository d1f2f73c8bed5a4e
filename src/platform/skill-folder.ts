import {
  closeSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import type { CleoError } from '#core/errors/error.ts';
import { convertFileErrors, findNearestExisting, isBelow } from './files.ts';

interface SkillFile {
  /** The path from the skill's folder, with slashes. */
  name: string;
  bytes: Buffer;
  isExecutable: boolean;
}

const maxFiles = 200;
const maxBytes = 2 << 20;
const maxDepth = 6;

/** Reads all files of a skill. Skips names with a leading dot. Rejects anything but regular files and folders, and skills that
 *  are too large. */
export function readSkillFolder(folder: string, reject: (problem: string) => CleoError): SkillFile[] {
  const files: SkillFile[] = [];
  let bytes = 0;
  const walk = (path: string, depth: number): void => {
    if (depth > maxDepth) throw reject(`is more than ${maxDepth} folders deep`);
    for (const entry of readdirSync(path, { withFileTypes: true })) {
      if (entry.name.startsWith('.')) continue;
      const inner = join(path, entry.name);
      const name = relative(folder, inner).replaceAll(sep, '/');
      if (entry.isDirectory()) {
        walk(inner, depth + 1);
        continue;
      }
      const found = lstatSync(inner);
      if (!found.isFile()) throw reject(`contains ${name}, which is ${found.isSymbolicLink() ? 'a link' : 'not a regular file'}`);
      bytes += found.size;
      if (files.length >= maxFiles || bytes > maxBytes) throw reject(`contains more than ${maxFiles} files or ${maxBytes >> 20} MiB`);
      files.push({ name, bytes: readFileSync(inner), isExecutable: (found.mode & 0o100) !== 0 });
    }
  };
  convertFileErrors(folder, () => walk(folder, 0));
  return files.sort((a, b) => (a.name < b.name ? -1 : 1));
}

export const isSameSkill = (a: SkillFile[], b: SkillFile[]): boolean =>
  a.length === b.length &&
  a.every(({ name, bytes, isExecutable }, i) => b[i]?.name === name && b[i].isExecutable === isExecutable && bytes.equals(b[i].bytes));

/** True if `path`, with links followed, is inside `within`. The path need not exist. */
export function isRealPathInside(within: string, path: string): boolean {
  const above = findNearestExisting(path);
  return isBelow(relative(realpathSync(within), join(realpathSync(above), relative(above, path))));
}

/** Writes a skill to a temporary folder and renames it. The previous version stays until then. */
export function installSkill(target: string, files: SkillFile[], unique: string): void {
  const top = dirname(target);
  const [fresh, old] = [join(top, `.new-${unique}`), join(top, `.old-${unique}`)];
  convertFileErrors(target, () => {
    try {
      for (const { name, bytes, isExecutable } of files) {
        const path = join(fresh, name);
        mkdirSync(dirname(path), { recursive: true });
        const file = openSync(path, 'wx', isExecutable ? 0o777 : 0o666);
        try {
          for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at);
          fsyncSync(file);
        } finally {
          closeSync(file);
        }
      }
      if (lstatSync(target, { throwIfNoEntry: false })) renameSync(target, old);
      renameSync(fresh, target);
    } finally {
      rmSync(fresh, { recursive: true, force: true });
      rmSync(old, { recursive: true, force: true });
    }
  });
}
