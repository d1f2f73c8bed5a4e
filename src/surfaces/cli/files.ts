import { closeSync, constants, fstatSync, openSync, readdirSync, readFileSync, readSync, statSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { listCommandNames } from '#core/command-line.ts';
import type { FileSelector, Operation } from '#core/define.ts';
import { CleoError } from '#core/errors/error.ts';
import type { FileText, SourceFile } from '#transfer/model/foreign.ts';
import { decodeAnyText, detectUtf16 } from './decode-text.ts';
import { maxInputBytes } from './input.ts';

type FileSelection = Awaited<ReturnType<FileSelector>>;

/** Reads a file, or the selected files of a folder. Symbolic links inside a folder are not followed, because they could leave it or
 *  form a loop. Anything but a plain file is an error. */
export function readFiles(path: string, selection: FileSelection, operation: Operation, folder: string): SourceFile[] {
  const fix = `cleo help ${listCommandNames(operation)[0]}`;
  const createError = (name: string, problem: string, cause?: unknown): CleoError =>
    new CleoError('E_FILE_ERROR', { path: name, problem, fix }, { cause });
  let bytes = 0;
  const read = (full: string, name: string, link: number): string | FileText | typeof isFolder => {
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
    let isOpen = false;
    try {
      const stats = fstatSync(file);
      if (stats.isDirectory()) return isFolder;
      if (!stats.isFile()) throw createError(name, 'is not a plain file');
      bytes += stats.size;
      if (bytes > maxInputBytes) throw createError(name, 'is larger than 256 MiB, alone or with the files before it');
      if (stats.size > maxWholeBytes) {
        const text = new LargeFile(file, stats.size);
        isOpen = true;
        return text;
      }
      return decodeAnyText(readFileSync(file));
    } finally {
      if (!isOpen) closeSync(file);
    }
  };
  const top = resolve(folder, path);
  const whole = read(top, path, 0);
  if (whole !== isFolder) return [{ name: basename(path), text: whole }];
  const inner = selection.folders.map((name) => join(top, name)).find((name) => statSync(name, { throwIfNoEntry: false })?.isDirectory());
  const root = inner ?? top;
  const names = listFileNames(root, (problem, cause) => createError(path, problem, cause)).filter(selection.wants);
  if (names.length === 0) throw createError(path, 'has no file to import');
  return names.map((name) => {
    const content = read(join(root, name), join(path, name), constants.O_NOFOLLOW ?? 0);
    if (content === isFolder) throw createError(join(path, name), 'is a folder');
    return { name, text: content };
  });
}

const isFolder = Symbol('folder');

/** Larger files are read in parts. */
const maxWholeBytes = 4 << 20;
const chunkBytes = 1 << 20;

/** A file that stays open, so that each pass reads the same file even if it is replaced. */
class LargeFile implements FileText {
  readonly length: number;
  readonly #file: number;
  constructor(file: number, length: number) {
    this.#file = file;
    this.length = length;
  }
  *chunks(): Generator<string> {
    const buffer = Buffer.alloc(chunkBytes);
    let decoder: InstanceType<typeof TextDecoder> | undefined;
    for (let at = 0; at < this.length; ) {
      const count = readSync(this.#file, buffer, 0, chunkBytes, at);
      if (count === 0) break;
      at += count;
      const part = buffer.subarray(0, count);
      decoder ??= new TextDecoder(detectUtf16(part) ?? 'utf-8');
      yield decoder.decode(part, { stream: true });
    }
    yield decoder?.decode() ?? '';
  }
  toJSON(): unknown {
    return { length: this.length };
  }
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
