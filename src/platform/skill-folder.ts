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
import { dirname, isAbsolute, join, relative, sep } from 'node:path';
import type { CleoError } from '#core/errors/error.ts';
import { guarded, nearestExisting } from './files.ts';

export interface SkillFile {
  /** From the folder of the skill, with slashes. */
  name: string;
  bytes: Buffer;
  isExecutable: boolean;
}

const mostFiles = 200;
const mostBytes = 2 << 20;
const deepest = 6;

/** Everything in the folder of a skill, or of one file SKILL.md. Refuses what is no plain file or folder, and more than a skill needs.
 *  What begins with a dot is left out. */
export function readSkillFolder(folder: string, refuse: (problem: string) => CleoError): SkillFile[] {
  const files: SkillFile[] = [];
  let bytes = 0;
  const walk = (path: string, depth: number): void => {
    if (depth > deepest) throw refuse(`is more than ${deepest} folders deep`);
    for (const entry of readdirSync(path, { withFileTypes: true })) {
      if (entry.name.startsWith('.')) continue;
      const inner = join(path, entry.name);
      const name = relative(folder, inner).replaceAll(sep, '/');
      if (entry.isDirectory()) {
        walk(inner, depth + 1);
        continue;
      }
      const found = lstatSync(inner);
      if (!found.isFile()) throw refuse(`holds ${name}, which is ${found.isSymbolicLink() ? 'a link' : 'no plain file'}`);
      bytes += found.size;
      if (files.length >= mostFiles || bytes > mostBytes) throw refuse(`holds more than ${mostFiles} files or ${mostBytes >> 20} MiB`);
      files.push({ name, bytes: readFileSync(inner), isExecutable: (found.mode & 0o100) !== 0 });
    }
  };
  guarded(folder, () => walk(folder, 0));
  return files.sort((a, b) => (a.name < b.name ? -1 : 1));
}

export const isSameSkill = (a: SkillFile[], b: SkillFile[]): boolean =>
  a.length === b.length &&
  a.every(({ name, bytes, isExecutable }, i) => b[i]?.name === name && b[i].isExecutable === isExecutable && bytes.equals(b[i].bytes));

/** Where links lead, `path` is inside `within`. */
export function isInside(within: string, path: string): boolean {
  const above = nearestExisting(path);
  const place = relative(realpathSync(within), join(realpathSync(above), relative(above, path)));
  return place !== '..' && !place.startsWith(`..${sep}`) && !isAbsolute(place);
}

/** Puts a skill into its place: written beside, synced, renamed. What was there stands until then. */
export function placeSkill(target: string, files: SkillFile[], unique: string): void {
  const top = dirname(target);
  const [fresh, old] = [join(top, `.new-${unique}`), join(top, `.old-${unique}`)];
  guarded(target, () => {
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
