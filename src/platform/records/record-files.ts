import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { SharedRecord } from '#core/model/shared-records.ts';
import { arrangeLines } from '#core/rules/shared-records.ts';
import { isPlainObject } from '#lib/collections.ts';
import { parseJson } from '#lib/parse-json.ts';
import { convertFileErrors, files, writePrivate } from '../files.ts';
import { changeLines, readLines } from '../manifest-file.ts';
import type { FolderRecordOptions, RecordFiles } from './port.ts';

const computeHash = (content: string | Uint8Array): string =>
  process.getBuiltinModule('node:crypto').createHash('sha256').update(content).digest('hex');

interface FileLine {
  hash: string;
  text: string;
}

/** A file of JSON lines. Each line is a record, named by its hash; a line that is not a JSON object stays in the file only. */
export function openLineRecords(path: string): RecordFiles {
  const parseLines = (lines: string[]): FileLine[] =>
    lines.map((line) => {
      const text = line.replace(/^\ufeff|\r$/g, '');
      return { hash: text.trim() === '' ? '' : computeHash(text), text };
    });
  let listed = new Map<string, string>();
  return {
    isOrdered: true,
    list() {
      const records = parseLines(readLines(path).split('\n')).filter(({ text }) => isPlainObject(parseJson(text)));
      listed = new Map(records.map(({ hash, text }) => [hash, text]));
      return new Map(records.map(({ hash }) => [hash, hash]));
    },
    read: (name) => Buffer.from(listed.get(name) ?? ''),
    isBusy: () => false,
    isContinued: () => false,
    apply(stored, contents) {
      const wanted = stored.map(({ hash, state }) => ({ hash, text: contents.get(hash)?.toString(), isRemoved: state === 'removed' }));
      let { append } = arrangeLines([], wanted);
      if (!existsSync(path) && append.length > 0) {
        files.createFolder(dirname(path));
        files.writeNew(path, append.map((text) => `${text}\n`).join(''));
        return;
      }
      append = [];
      changeLines(path, (lines) => {
        const arranged = arrangeLines(parseLines(lines), wanted);
        append = arranged.append;
        return arranged.steps;
      });
      if (append.length > 0) files.appendLine(path, append.join('\n'));
    },
  };
}

/** The hashes of files that have not changed since. A command lists the files several times, and `cleo work` and servers run many commands:
 *  the files of hundreds of runs would be read again for each task. */
const knownHashes = new Map<string, { size: number; mtimeMs: number; ctimeMs: number; hash: string }>();

/** Files of folders, each a record of its own. They are readable by their owner only. */
export function openFolderRecords(root: string, options: FolderRecordOptions): RecordFiles {
  const { folders, includes, maxBytes, isBusy = () => false, isContinued = () => false } = options;
  const hashFile = (name: string): string | undefined => {
    const path = join(root, name);
    // A concurrent prune can remove a file after it was listed.
    const found = lstatSync(path, { throwIfNoEntry: false });
    if (!found) return undefined;
    const { size, mtimeMs, ctimeMs } = found;
    const known = knownHashes.get(path);
    if (known?.size === size && known.mtimeMs === mtimeMs && known.ctimeMs === ctimeMs) return known.hash;
    const hash = size > maxBytes ? `size:${size}` : computeHash(convertFileErrors(path, () => readFileSync(path)));
    knownHashes.set(path, { size, mtimeMs, ctimeMs, hash });
    return hash;
  };
  return {
    isOrdered: false,
    list: () =>
      new Map(
        folders
          .flatMap((folder) => listFiles(root, folder))
          .filter((name) => includes(name) && !isBusy(name))
          .flatMap((name) => {
            const hash = hashFile(name);
            return hash === undefined ? [] : [[name, hash]];
          }),
      ),
    read: (name) => {
      const path = join(root, name);
      return (lstatSync(path, { throwIfNoEntry: false })?.size ?? Number.POSITIVE_INFINITY) > maxBytes ? undefined : readFileSync(path);
    },
    isBusy,
    isContinued,
    apply(_, contents, discarded) {
      for (const [name, bytes] of contents) {
        // The name comes from the store, which others write.
        if (!isInside(name, folders) || !includes(name)) continue;
        const path = join(root, name);
        convertFileErrors(path, () => {
          mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
          writePrivate(path, bytes, 'soon');
        });
      }
      for (const name of discarded) if (isInside(name, folders)) convertFileErrors(name, () => rmSync(join(root, name), { force: true }));
    },
  };
}

const isInside = (name: string, folders: string[]): boolean =>
  !/(^|\/)\.\.?(\/|$)|\\|:|\0/.test(name) && folders.some((folder) => name.startsWith(`${folder}/`));

function listFiles(root: string, folder: string): string[] {
  const path = join(root, folder);
  if (!existsSync(path)) return [];
  const entries = convertFileErrors(path, () => readdirSync(path, { withFileTypes: true }));
  return entries.flatMap((entry) => {
    const name = `${folder}/${entry.name}`;
    return entry.isDirectory() ? listFiles(root, name) : entry.isFile() ? [name] : [];
  });
}

/** True if a file begins with the content of a record: it was appended to since then. */
export function continuesRecord(path: string, { hash, size }: Pick<SharedRecord, 'hash' | 'size'>): boolean {
  if (!existsSync(path)) return false;
  const bytes = readFileSync(path);
  return bytes.length > size && computeHash(bytes.subarray(0, size)) === hash;
}
