import { readFileSync, realpathSync, rmdirSync, statSync } from 'node:fs';
import { isAbsolute, join, relative, resolve, sep } from 'node:path';
import { CleoError } from '#core/errors/error.ts';
import { fileError, guarded, nearestExisting } from './files.ts';

/** A file of the project that others own too: where writing it ends up, links followed, and its text. Refuses what leaves the
 *  project, what is no plain file, what is read-only and what is no UTF-8: written back it would not be what it was. */
export function sharedFile(root: string, path: string): { path: string; text: string | undefined } {
  const refuse = (problem: string): CleoError => new CleoError('E_FILE_ERROR', { path, problem, fix: 'cleo setup' });
  const { path: target, isThere } = inProject(root, path, 'cleo setup');
  if (!isThere) return { path: target, text: undefined };
  const status = statSync(target);
  if (!status.isFile()) throw refuse('is not a plain file');
  if ((status.mode & 0o222) === 0) throw refuse('is read-only');
  const text = guarded(path, () => readFileSync(target, 'utf8'));
  if (Buffer.byteLength(text) !== status.size || (text.includes('\ufffd') && !Buffer.from(text).equals(readFileSync(target))))
    throw refuse('is not UTF-8');
  return { path: target, text };
}

/** Where a path from the project folder ends up, links followed. Refuses what leaves the project, and what cannot be there. */
export function inProject(root: string, path: string, fix: string): { path: string; isThere: boolean; place: string } {
  const refuse = (problem: string): CleoError => new CleoError('E_FILE_ERROR', { path, problem, fix });
  const wanted = resolve(root, path);
  const above = nearestExisting(wanted);
  let found: string;
  try {
    found = realpathSync(above);
  } catch (error) {
    if (['ENOENT', 'ELOOP'].includes((error as NodeJS.ErrnoException).code ?? '')) throw refuse('is a link that leads nowhere');
    throw fileError(path, error);
  }
  const target = join(found, relative(above, wanted));
  const place = relative(realpathSync(root), target);
  if (place === '' || place === '..' || place.startsWith(`..${sep}`) || isAbsolute(place)) throw refuse('leads out of the project');
  if (above !== wanted && !statSync(found).isDirectory()) throw refuse('a part of the path is not a folder');
  return { path: target, isThere: above === wanted, place: place.split(sep).join('/') };
}

/** Takes away a folder that is empty. */
export function removeEmpty(folder: string): void {
  try {
    rmdirSync(folder);
  } catch {
    // Not empty, or not there.
  }
}
