import { closeSync, constants, fstatSync, openSync, readdirSync, readFileSync, readSync, type Stats, statSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import type { FileSelector } from '#core/cli-definition.ts';
import { listCommandNames } from '#core/command-line.ts';
import type { Operation } from '#core/define.ts';
import { CleoError } from '#core/errors/error.ts';
import type { FileText, SourceFile } from '#transfer/model/foreign.ts';
import { decodeAnyText, detectUtf16 } from './decode-text.ts';
import { maxInputBytes, readInputChunks } from './input.ts';

type FileSelection = Awaited<ReturnType<FileSelector>>;

/** Reads a file, the selected files of a folder, or standard input for `-`. Anything but a plain file is an error. Symbolic links inside
 *  a folder are not followed, because they could leave it or form a loop. A file of a folder that cannot be read is an error of its own
 *  when the import reads it, so that the others can be imported. */
export function readFiles(path: string, selection: FileSelection, operation: Operation, folder: string): SourceFile[] {
  if (path === '-') return [{ name: '', text: readStandardInput(operation) }];
  const fix = `cleo help ${listCommandNames(operation)[0]}`;
  const createError: CreateError = (name, problem, cause) => new CleoError('E_FILE_ERROR', { path: name, problem, fix }, { cause });
  const createSkipError: CreateError = (name, problem, cause) =>
    new CleoError('E_INVALID_INPUT', { problem: `${name}: it ${problem}; nothing was imported`, fix }, { cause });
  let bytes = 0;
  const read = (full: string, name: string, link = 0, fail = createError): string | FileText | typeof isFolder => {
    let file: number;
    try {
      // Without O_NONBLOCK, opening a named pipe would wait for a writer forever.
      file = openSync(full, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | link);
    } catch (error) {
      throw fail(name, describeOpenError(error as NodeJS.ErrnoException, link !== 0), error);
    }
    let isOpen = false;
    try {
      const stats = fstatSync(file);
      if (stats.isDirectory()) return isFolder;
      if (!stats.isFile()) throw fail(name, 'is not a plain file');
      bytes += stats.size;
      if (bytes > maxInputBytes) throw createError(name, 'is larger than 256 MiB, alone or with the files before it');
      if (stats.size > maxWholeBytes) {
        const text = new LargeFile(file, stats, (problem) => fail(name, problem));
        isOpen = true;
        return text;
      }
      return decodeAnyText(readFileSync(file));
    } finally {
      if (!isOpen) closeSync(file);
    }
  };
  const readListed = (full: string, name: string): string | FileText => {
    try {
      const content = read(full, name, constants.O_NOFOLLOW ?? 0, createSkipError);
      return content === isFolder ? createUnreadable(createSkipError(name, 'is a folder')) : content;
    } catch (error) {
      if (!(error instanceof CleoError) || error.row !== 'E_INVALID_INPUT') throw error;
      return createUnreadable(error);
    }
  };
  const top = resolve(folder, path);
  const whole = read(top, path);
  if (whole !== isFolder) return [{ name: basename(path), text: whole }];
  const inner = selection.folders.map((name) => join(top, name)).find((name) => statSync(name, { throwIfNoEntry: false })?.isDirectory());
  const root = inner ?? top;
  const names = listFileNames(root, (problem, cause) => createError(path, problem, cause)).filter(selection.wants);
  if (names.length === 0) throw createError(path, 'has no file to import');
  return names.map((name) => ({ name, text: readListed(join(root, name), name) }));
}

/** A file of which nothing can be read. */
const createUnreadable = (error: CleoError): FileText => ({
  length: 0,
  chunks: () => {
    throw error;
  },
  toJSON: () => ({ problem: error.message }),
});

type CreateError = (name: string, problem: string, cause?: unknown) => CleoError;

function describeOpenError({ code, message }: NodeJS.ErrnoException, isListed: boolean): string {
  if (code === 'ENOENT') return 'does not exist';
  if (code === 'ENXIO') return 'is not a plain file';
  if (code === 'EACCES' || code === 'EPERM') return 'must not be read by this user';
  if (code === 'ELOOP') return isListed ? 'is a link, and links in a folder are not followed' : 'is a link that leads nowhere';
  return `cannot be read: ${message}`;
}

/** Standard input in the parts in which it arrived, so that it is in memory once, as bytes. A short text is decoded at once. */
function readStandardInput(operation: Operation): string | FileText {
  const parts = readInputChunks(maxInputBytes + 1);
  const length = parts.reduce((size, part) => size + part.length, 0);
  if (length > maxInputBytes)
    throw new CleoError('E_FILE_ERROR', {
      path: 'standard input',
      problem: 'is larger than 256 MiB',
      fix: `cleo help ${listCommandNames(operation)[0]}`,
    });
  if (length <= maxWholeBytes) return decodeAnyText(Buffer.concat(parts));
  return { length, chunks: () => decodeParts(parts), toJSON: () => ({ length }) };
}

function* decodeParts(parts: Iterable<Uint8Array>): Generator<string> {
  let decoder: InstanceType<typeof TextDecoder> | undefined;
  for (const part of parts) {
    decoder ??= new TextDecoder(detectUtf16(part) ?? 'utf-8');
    yield decoder.decode(part, { stream: true });
  }
  yield decoder?.decode() ?? '';
}

const isFolder = Symbol('folder');

/** Larger files are read in parts. */
const maxWholeBytes = 4 << 20;
/** Node allocates longer strings outside of its heap, where they stay until a full collection. */
const chunkBytes = 1 << 16;

/** A file that stays open, so that each pass reads the same file even if it is replaced. A file that is changed in between is an error:
 *  the passes of an import must find the same records. */
class LargeFile implements FileText {
  readonly length: number;
  readonly #file: number;
  readonly #mtimeMs: number;
  readonly #createError: (problem: string) => CleoError;
  constructor(file: number, { size, mtimeMs }: Stats, createError: (problem: string) => CleoError) {
    this.#file = file;
    this.length = size;
    this.#mtimeMs = mtimeMs;
    this.#createError = createError;
  }
  *chunks(): Generator<string> {
    if (fstatSync(this.#file).mtimeMs !== this.#mtimeMs) throw this.#createError('was changed while it was read');
    yield* decodeParts(this.#readParts());
  }
  *#readParts(): Generator<Uint8Array> {
    const buffer = Buffer.alloc(chunkBytes);
    for (let at = 0; at < this.length; ) {
      const count = readSync(this.#file, buffer, 0, chunkBytes, at);
      if (count === 0) break;
      at += count;
      yield buffer.subarray(0, count);
    }
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
