import {
  closeSync,
  existsSync,
  fstatSync,
  fsyncSync,
  linkSync,
  openSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { LineChange } from '#research/rules/manifest.ts';
import { convertFileErrors, files } from './files.ts';
import { withFileLock } from './lock-file.ts';

/** A file of lines that agents append to without a lock, possibly through a handle that they keep open. When the file is
 *  rewritten, the replaced file stays next to it for a while. Its name contains how many of its bytes are in the new file.
 *  Lines that are appended to it later are read from there, and carried over by the next write. */

/** Returns the text of the file, with the lines that were appended to replaced files. */
export function readLines(path: string): string {
  // Replaced files first: a line that is carried over in between is read twice rather than missed.
  const tails = convertFileErrors(path, () => listReplacedFiles(path).map((replaced) => readTail(replaced).toString('utf8')));
  const text = files.readText(path) ?? '';
  const seen = new Set(tails.some((tail) => tail !== '') ? text.split('\n') : []);
  return tails
    .flatMap((tail) => tail.split('\n'))
    .filter((line) => line !== '' && !seen.has(line))
    .reduce((all, line) => `${all}${all === '' || all.endsWith('\n') ? '' : '\n'}${line}\n`, text);
}

/** Appends the line that `check` returns, under a lock. `check` throws to prevent it. */
export function addLine(path: string, check: (text: string) => string): void {
  files.createFolder(dirname(path));
  withFileLock(path, () => {
    convertFileErrors(path, () => carryOverTails(path));
    files.appendLine(path, check(files.readText(path) ?? ''));
  });
}

/** Rewrites the file atomically. A line that `change` keeps stays the same to the byte. */
export function changeLines(path: string, change: (lines: string[]) => LineChange[]): void {
  if (!existsSync(path)) return;
  withFileLock(path, () =>
    convertFileErrors(path, () => {
      carryOverTails(path);
      const bytes = readSettled(path);
      const changes = change(bytes.toString('utf8').split('\n'));
      if (changes.every((one) => one === 'keep')) return;
      const fresh = `${path}.tmp-${process.pid}-${createToken()}`;
      try {
        writeBytes(fresh, 'wx', applyChanges(bytes, changes), statSync(path).mode);
        linkSync(path, toReplacedPath(path, bytes.length));
        renameSync(fresh, path);
      } finally {
        rmSync(fresh, { force: true });
      }
      carryOverTails(path);
    }),
  );
}

/** Reads the file. Waits for the end of a line that is being written, unless its writer has stopped. */
function readSettled(path: string): Buffer {
  for (;;) {
    const bytes = readFileSync(path);
    const isBeingWritten = Date.now() - statSync(path).mtimeMs < unfinishedMs;
    if (bytes.length === 0 || bytes.at(-1) === newline || !isBeingWritten) return bytes;
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20);
  }
}

function applyChanges(bytes: Buffer, changes: LineChange[]): Buffer {
  const parts: Buffer[] = [];
  let start = 0;
  for (const change of changes) {
    const end = bytes.indexOf(newline, start);
    const line = bytes.subarray(start, end < 0 ? bytes.length : end + 1);
    if (change === 'keep') parts.push(line);
    else if (change !== 'drop') parts.push(Buffer.from(`${change.text}${/\r?\n?$/.exec(line.toString('latin1'))![0]}`));
    start += line.length;
  }
  return Buffer.concat(parts);
}

interface ReplacedFile {
  path: string;
  /** Bytes of it that are in the new file. */
  length: number;
}

const newline = 0x0a;
const unfinishedMs = 500;
const replacedTtlMs = 600_000;
const createToken = (): string => Math.random().toString(36).slice(2, 8).padEnd(6, '0');
const toReplacedPath = (path: string, length: number): string => join(dirname(path), `.${basename(path)}.tmp-${length}-${createToken()}`);

function listReplacedFiles(path: string): ReplacedFile[] {
  return files.list(dirname(path)).flatMap(({ name }) => {
    const length = name.startsWith(`.${basename(path)}.tmp-`) && /-(\d+)-[a-z0-9]{6}$/.exec(name)?.[1];
    return length ? [{ path: join(dirname(path), name), length: Number(length) }] : [];
  });
}

function readTail({ path, length }: ReplacedFile): Buffer {
  const file = openSync(path, 'r');
  try {
    const tail = Buffer.alloc(Math.max(0, fstatSync(file).size - length));
    return tail.subarray(0, tail.length ? readSync(file, tail, 0, tail.length, length) : 0);
  } finally {
    closeSync(file);
  }
}

/** Appends the tails of replaced files. A process that dies between the append and the rename leaves a line twice, not lost. */
function carryOverTails(path: string): void {
  for (const replaced of listReplacedFiles(path)) {
    const { ctimeMs, mtimeMs } = statSync(replaced.path);
    const tail = readTail(replaced);
    // An incomplete line is left for later, unless its writer has stopped.
    const whole = Date.now() - mtimeMs < unfinishedMs ? tail.subarray(0, tail.lastIndexOf(newline) + 1) : tail;
    if (whole.length > 0) {
      writeBytes(path, 'a', Buffer.concat([Buffer.from(startsLine(replaced) && !endsLine(path) ? '\n' : ''), whole]));
      renameSync(replaced.path, toReplacedPath(path, replaced.length + whole.length));
    } else if (Date.now() - ctimeMs > replacedTtlMs) rmSync(replaced.path, { force: true });
  }
}

const startsLine = ({ path, length }: ReplacedFile): boolean => length === 0 || readFileSync(path)[length - 1] === newline;
const endsLine = (path: string): boolean => [undefined, newline].includes(readFileSync(path).at(-1));

function writeBytes(path: string, flags: string, bytes: Buffer, mode = 0o666): void {
  const file = openSync(path, flags, mode);
  try {
    for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
