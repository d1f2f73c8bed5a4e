import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  lstatSync,
  openSync,
  readlinkSync,
  readSync,
  realpathSync,
  type Stats,
} from 'node:fs';
import { join, relative, resolve, sep } from 'node:path';
import { CleoError } from '#core/errors/error.ts';
import { largestDoc } from '#documents/model/doc.ts';
import { isPrivatePath, pathProblem } from '#documents/rules/doc-path.ts';
import { fileError } from './files.ts';
import type { Project, WorkingTree } from './port.ts';
import { isWithin, placesIn } from './tree.ts';

export interface DocumentFile {
  /** As the project sees it. */
  name: string;
  bytes: Buffer;
}

export interface Asked {
  project: Project;
  tree: WorkingTree;
  /** The folder that the caller stands in. */
  stands: string;
  path: string;
  /** The way out, given the path that would have been right, where there is one. */
  fix: (path?: string) => string;
}

/** A plain file of the project, whole, by a path from where the caller stands or else from the project folder. Refuses what leaves the
 *  project, be it by a link, what is private, what is no plain file and what is too long. Never waits for a pipe. */
export function readDocument(asked: Asked): DocumentFile {
  const { path, fix } = asked;
  const roots = placesIn(asked.tree, asked.project);
  const problem = pathProblem(path);
  if (problem) throw new CleoError('E_FILE_ERROR', { path, problem, fix: fix(insideOf(roots, resolve(asked.stands, path))) });
  const refuse = (why: string): CleoError => new CleoError('E_FILE_ERROR', { path, problem: why, fix: fix() });
  try {
    const found = placesFor(asked, roots).find((candidate) => lstatSync(candidate, { throwIfNoEntry: false }));
    if (found === undefined) throw new CleoError('E_NOT_FOUND', { what: 'file', id: path, fix: fix() });
    const real = realpathSync(found);
    const root = roots.find((place) => isWithin(real, place));
    if (root === undefined) throw refuse('leads out of the project');
    const name = relative(root, real).split(sep).join('/');
    if (isPrivatePath(name)) throw refuse('is what git or cleo keep for themselves');
    // A device is not even opened: that alone may do something.
    const kind = kindOf(lstatSync(real));
    if (kind) throw refuse(kind);
    return { name, bytes: readPlain(real, refuse) };
  } catch (error) {
    if (error instanceof CleoError) throw error;
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ELOOP') throw refuse('is a link that leads nowhere');
    if (code === 'ENXIO') throw refuse('is no plain file');
    if (code === 'EINVAL') throw refuse('was exchanged while it was opened');
    const known = fileError(path, error);
    throw known instanceof CleoError ? refuse(known.message.slice(path.length + 2)) : error;
  }
}

function placesFor({ stands, path }: Asked, roots: string[]): string[] {
  const ctx = existsSync(stands) ? realpathSync(stands) : undefined;
  const places = [...(ctx !== undefined && roots.some((root) => isWithin(ctx, root)) ? [ctx] : []), ...roots];
  return places.map((place) => join(place, path));
}

/** The path that leads there from the project folder, for whoever gave another. */
function insideOf(roots: string[], path: string): string | undefined {
  try {
    const real = realpathSync(path);
    const root = roots.find((place) => isWithin(real, place));
    return root === undefined || kindOf(lstatSync(real)) ? undefined : relative(root, real).split(sep).join('/');
  } catch {
    return undefined;
  }
}

/** Opened without waiting and without following a link, and looked at once it is open: what it was a moment ago proves nothing. */
function readPlain(real: string, refuse: (problem: string) => CleoError): Buffer {
  const file = openSync(real, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
  try {
    const found = fstatSync(file);
    const kind = kindOf(found);
    if (kind) throw refuse(kind);
    if (!isStillThere(file, found, real)) throw refuse('was exchanged while it was opened');
    // Of a file that grows meanwhile what it had is taken.
    const bytes = Buffer.allocUnsafe(found.size);
    let length = 0;
    for (let got = 1; got > 0 && length < bytes.length; length += got) got = readSync(file, bytes, length, bytes.length - length, null);
    return bytes.subarray(0, length);
  } finally {
    closeSync(file);
  }
}

/** Whether what is open is what lies at this path: a folder on the way may have become a link in between. */
function isStillThere(file: number, found: Stats, real: string): boolean {
  try {
    return readlinkSync(`/proc/self/fd/${file}`) === real;
  } catch {
    // A system that does not tell: the path leads there by itself, and to the same file.
    const now = lstatSync(real, { throwIfNoEntry: false });
    return realpathSync(real) === real && now?.ino === found.ino && now.dev === found.dev;
  }
}

function kindOf(found: Stats): string | undefined {
  if (found.isDirectory()) return 'is a folder';
  if (found.isFIFO()) return 'is a pipe';
  if (found.isSocket()) return 'is a socket';
  if (!found.isFile()) return 'is no plain file';
  return found.size > largestDoc ? `is longer than ${largestDoc >> 20} MiB` : undefined;
}
