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
import { maxDocBytes } from '#documents/model/doc.ts';
import { checkDocPath, isPrivatePath } from '#documents/rules/doc-path.ts';
import { toFileError } from './files.ts';
import type { Project, WorkingTree } from './port.ts';
import { isWithin, listProjectFolders } from './tree.ts';

interface DocumentFile {
  /** The path from the project folder. */
  name: string;
  bytes: Buffer;
}

interface DocumentRequest {
  project: Project;
  tree: WorkingTree;
  callerFolder: string;
  path: string;
  /** Returns the command that fixes the error, given the correct path if there is one. */
  fix: (path?: string) => string;
}

/** Reads a file of the project, by a path from the caller's folder or from the project folder. Rejects paths that leave the
 *  project (also through a link), private files, anything but regular files, and files that are too long. Does not block
 *  on a pipe. */
export function readDocument(request: DocumentRequest): DocumentFile {
  const { path, fix } = request;
  const roots = listProjectFolders(request.tree, request.project);
  const problem = checkDocPath(path);
  if (problem) throw new CleoError('E_FILE_ERROR', { path, problem, fix: fix(toProjectPath(roots, resolve(request.callerFolder, path))) });
  const reject = (why: string): CleoError => new CleoError('E_FILE_ERROR', { path, problem: why, fix: fix() });
  try {
    const found = listCandidates(request, roots).find((candidate) => lstatSync(candidate, { throwIfNoEntry: false }));
    if (found === undefined) throw reject('does not exist');
    const real = realpathSync(found);
    const root = roots.find((folder) => isWithin(real, folder));
    if (root === undefined) throw reject('is outside the project');
    const name = relative(root, real).split(sep).join('/');
    if (isPrivatePath(name)) throw reject('is an internal file of git or cleo');
    // Opening a device can have side effects, so check before opening.
    const kind = describeKind(lstatSync(real));
    if (kind) throw reject(kind);
    return { name, bytes: readPlainFile(real, reject) };
  } catch (error) {
    if (error instanceof CleoError) throw error;
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ELOOP') throw reject('is a broken link');
    if (code === 'ENXIO') throw reject('is not a regular file');
    if (code === 'EINVAL') throw reject('was replaced while it was opened');
    const known = toFileError(path, error);
    throw known instanceof CleoError ? reject(known.message.slice(path.length + 2)) : error;
  }
}

function listCandidates({ callerFolder: stands, path }: DocumentRequest, roots: string[]): string[] {
  const folder = existsSync(stands) ? realpathSync(stands) : undefined;
  const folders = [...(folder !== undefined && roots.some((root) => isWithin(folder, root)) ? [folder] : []), ...roots];
  return folders.map((one) => join(one, path));
}

/** Returns the path from the project folder, to suggest it instead of the path that was given. */
function toProjectPath(roots: string[], path: string): string | undefined {
  try {
    const real = realpathSync(path);
    const root = roots.find((folder) => isWithin(real, folder));
    return root === undefined || describeKind(lstatSync(real)) ? undefined : relative(root, real).split(sep).join('/');
  } catch {
    return undefined;
  }
}

/** Opens the file without blocking and without following a link, and checks it once it is open, because it can be replaced
 *  between a check and the open. */
function readPlainFile(real: string, reject: (problem: string) => CleoError): Buffer {
  const file = openSync(real, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
  try {
    const found = fstatSync(file);
    const kind = describeKind(found);
    if (kind) throw reject(kind);
    if (!isOpenFileAt(file, found, real)) throw reject('was replaced while it was opened');
    // If the file grows now, only the bytes it had when opened are read.
    const bytes = Buffer.allocUnsafe(found.size);
    let length = 0;
    for (let got = 1; got > 0 && length < bytes.length; length += got) got = readSync(file, bytes, length, bytes.length - length, null);
    return bytes.subarray(0, length);
  } finally {
    closeSync(file);
  }
}

/** True if the open file is the one at this path. A folder of the path can become a link between the check and the open. */
function isOpenFileAt(file: number, found: Stats, real: string): boolean {
  try {
    return readlinkSync(`/proc/self/fd/${file}`) === real;
  } catch {
    // Systems without /proc: check that the path has no links and leads to the same inode.
    const now = lstatSync(real, { throwIfNoEntry: false });
    return realpathSync(real) === real && now?.ino === found.ino && now.dev === found.dev;
  }
}

function describeKind(found: Stats): string | undefined {
  if (found.isDirectory()) return 'is a folder';
  if (found.isFIFO()) return 'is a pipe';
  if (found.isSocket()) return 'is a socket';
  if (!found.isFile()) return 'is not a regular file';
  return found.size > maxDocBytes ? `is longer than ${maxDocBytes >> 20} MiB` : undefined;
}
