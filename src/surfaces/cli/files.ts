import { closeSync, constants, fstatSync, openSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { listCommandNames } from '#core/command-line.ts';
import type { FileSelector, Operation } from '#core/define.ts';
import { CleoError } from '#core/errors/error.ts';
import type { SourceFile } from '#transfer/model/foreign.ts';
import { decodeText, maxInputBytes } from './input.ts';

type FileSelection = Awaited<ReturnType<FileSelector>>;

/** Reads a file, or the selected files of a folder. Symbolic links inside a folder are not followed, because they could leave it or
 *  form a loop. Anything but a plain file is an error. */
export function readFiles(path: string, selection: FileSelection, operation: Operation, folder: string): SourceFile[] {
  const fix = `cleo help ${listCommandNames(operation)[0]}`;
  const createError = (name: string, problem: string, cause?: unknown): CleoError =>
    new CleoError('E_FILE_ERROR', { path: name, problem, fix }, { cause });
  let bytes = 0;
  const read = (full: string, name: string, link: number): Buffer | 'folder' => {
    let file: number;
    try {
      // Without O_NONBLOCK, opening a named pipe would wait for a writer forever.
      file = openSync(full, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | link);
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      if (code === 'ENOENT') throw createError(name, 'does not exist', error);
      throw createError(
        name,
        code === 'ELOOP' ? 'is a link that leads nowhere' : code === 'ENXIO' ? 'is not a plain file' : message,
        error,
      );
    }
    try {
      const stats = fstatSync(file);
      if (stats.isDirectory()) return 'folder';
      if (!stats.isFile()) throw createError(name, 'is not a plain file');
      bytes += stats.size;
      if (bytes > maxInputBytes) throw createError(name, 'is larger than 256 MiB, alone or with the files before it');
      return readFileSync(file);
    } finally {
      closeSync(file);
    }
  };
  const top = resolve(folder, path);
  const whole = read(top, path, 0);
  if (whole !== 'folder') return [{ name: basename(path), text: decodeText(whole, path, fix) }];
  const inner = selection.folders.map((name) => join(top, name)).find((name) => statSync(name, { throwIfNoEntry: false })?.isDirectory());
  const root = inner ?? top;
  const names = listFileNames(root, (problem, cause) => createError(path, problem, cause)).filter(selection.wants);
  if (names.length === 0) throw createError(path, 'has no file to import');
  return names.map((name) => {
    const content = read(join(root, name), join(path, name), constants.O_NOFOLLOW ?? 0);
    if (content === 'folder') throw createError(join(path, name), 'is a folder');
    return { name, text: decodeText(content, join(path, name), fix) };
  });
}

const maxEntries = 200_000;
const maxDepth = 8;

/** Lists all files below a folder with `/` as separator, sorted, so that the order is the same on every system. */
function listFileNames(root: string, createError: (problem: string, cause?: unknown) => CleoError): string[] {
  const names: string[] = [];
  const pending = [''];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const parent = next;
    try {
      for (const entry of readdirSync(join(root, parent), { withFileTypes: true })) {
        const name = parent ? `${parent}/${entry.name}` : entry.name;
        if (!entry.isDirectory()) names.push(name);
        else if (!['.git', 'node_modules'].includes(entry.name) && name.split('/').length <= maxDepth) pending.push(name);
      }
    } catch (error) {
      throw createError((error as Error).message, error);
    }
    if (names.length + pending.length > maxEntries) throw createError(`has more than ${maxEntries} files in it`);
  }
  return names.sort();
}
