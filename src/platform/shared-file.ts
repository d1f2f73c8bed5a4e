import { readFileSync, realpathSync, rmdirSync, statSync } from 'node:fs';
import { join, relative, resolve, sep } from 'node:path';
import { CleoError } from '#core/errors/error.ts';
import { convertFileErrors, findNearestExisting, isBelow, toFileError } from './files.ts';

/** Reads a file of the project that cleo shares with others, such as AGENTS.md; returns the path to write to, with links
 *  followed, and the text. Rejects files that are outside the project, not regular, read-only, or not UTF-8, which could not
 *  be written back unchanged. */
export function readSharedFile(root: string, path: string): { path: string; text: string | undefined } {
  const reject = (problem: string): CleoError => new CleoError('E_FILE_ERROR', { path, problem, fix: 'cleo setup' });
  const { path: target, exists } = resolveInProject(root, path, 'cleo setup');
  if (!exists) return { path: target, text: undefined };
  const status = statSync(target);
  if (!status.isFile()) throw reject('is not a regular file');
  if ((status.mode & 0o222) === 0) throw reject('is read-only');
  const text = convertFileErrors(path, () => readFileSync(target, 'utf8'));
  if (Buffer.byteLength(text) !== status.size || (text.includes('\ufffd') && !Buffer.from(text).equals(readFileSync(target))))
    throw reject('is not UTF-8');
  return { path: target, text };
}

/** Resolves a path from the project folder, links included. Rejects paths that leave the project or lead through a file. */
export function resolveInProject(root: string, path: string, fix: string): { path: string; exists: boolean; name: string } {
  const reject = (problem: string): CleoError => new CleoError('E_FILE_ERROR', { path, problem, fix });
  const wanted = resolve(root, path);
  const above = findNearestExisting(wanted);
  let found: string;
  try {
    found = realpathSync(above);
  } catch (error) {
    if (['ENOENT', 'ELOOP'].includes((error as NodeJS.ErrnoException).code ?? '')) throw reject('is a broken link');
    throw toFileError(path, error);
  }
  const target = join(found, relative(above, wanted));
  const name = relative(realpathSync(root), target);
  if (name === '' || !isBelow(name)) throw reject('is outside the project');
  // A link of a clone can lead to the settings of git, which name programs.
  if (name.split(sep).some((part) => part.toLowerCase() === '.git')) throw reject('is inside .git');
  if (above !== wanted && !statSync(found).isDirectory()) throw reject('a part of the path is not a folder');
  return { path: target, exists: above === wanted, name: name.split(sep).join('/') };
}

export function removeEmptyFolder(folder: string): void {
  try {
    rmdirSync(folder);
  } catch {
    // Not empty, or missing.
  }
}
