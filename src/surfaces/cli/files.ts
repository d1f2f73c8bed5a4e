import { closeSync, constants, fstatSync, openSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { listCommandNames } from '#core/command-line.ts';
import type { FileSelector, Operation } from '#core/define.ts';
import { CleoError } from '#core/errors/error.ts';
import type { SourceFile } from '#transfer/model/foreign.ts';
import { decodeText, maxInputBytes } from './input.ts';

type FileSelection = Awaited<ReturnType<FileSelector>>;

/** A file, or what is wanted of a folder, each with its name. Links inside a folder are not followed, so that none leads out of
 *  it or in a circle; what is no plain file is refused without waiting for it. */
export function readFiles(path: string, wanted: FileSelection, operation: Operation, folder: string): SourceFile[] {
  const fix = `cleo help ${listCommandNames(operation)[0]}`;
  const refuse = (name: string, problem: string, cause?: unknown): CleoError =>
    new CleoError('E_FILE_ERROR', { path: name, problem, fix }, { cause });
  let bytes = 0;
  const read = (full: string, name: string, link: number): Buffer | 'folder' => {
    let file: number;
    try {
      // Not blocking: a pipe that nobody writes to would be waited for until the end of days.
      file = openSync(full, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | link);
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      if (code === 'ENOENT') throw new CleoError('E_NOT_FOUND', { what: 'file', id: name, fix });
      throw refuse(name, code === 'ELOOP' ? 'is a link that leads nowhere' : code === 'ENXIO' ? 'is not a plain file' : message, error);
    }
    try {
      const found = fstatSync(file);
      if (found.isDirectory()) return 'folder';
      if (!found.isFile()) throw refuse(name, 'is not a plain file');
      bytes += found.size;
      if (bytes > maxInputBytes) throw refuse(name, 'is larger than 256 MiB, alone or with the files before it');
      return readFileSync(file);
    } finally {
      closeSync(file);
    }
  };
  const top = resolve(folder, path);
  const whole = read(top, path, 0);
  if (whole !== 'folder') return [{ name: basename(path), text: decodeText(whole, path, fix) }];
  const inner = wanted.folders.map((name) => join(top, name)).find((name) => statSync(name, { throwIfNoEntry: false })?.isDirectory());
  const root = inner ?? top;
  const names = listFileNames(root, (problem, cause) => refuse(path, problem, cause)).filter(wanted.wants);
  if (names.length === 0) throw new CleoError('E_NOT_FOUND', { what: 'file to import in', id: path, fix });
  return names.map((name) => {
    const content = read(join(root, name), join(path, name), constants.O_NOFOLLOW ?? 0);
    if (content === 'folder') throw refuse(join(path, name), 'is a folder');
    return { name, text: decodeText(content, join(path, name), fix) };
  });
}

const maxEntries = 200_000;
const maxDepth = 8;

/** Everything below a folder, with `/` between the parts, in one order on every system. */
function listFileNames(root: string, refuse: (problem: string, cause?: unknown) => CleoError): string[] {
  const names: string[] = [];
  const open = [''];
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    const inside = at;
    try {
      for (const entry of readdirSync(join(root, inside), { withFileTypes: true })) {
        const name = inside ? `${inside}/${entry.name}` : entry.name;
        if (!entry.isDirectory()) names.push(name);
        else if (!['.git', 'node_modules'].includes(entry.name) && name.split('/').length <= maxDepth) open.push(name);
      }
    } catch (error) {
      throw refuse((error as Error).message, error);
    }
    if (names.length + open.length > maxEntries) throw refuse(`has more than ${maxEntries} files in it`);
  }
  return names.sort();
}
