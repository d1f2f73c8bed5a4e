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
import { files, guarded } from './files.ts';

/** A file of lines that agents append to by hand, without our lock, perhaps through a handle that they keep open. Where we have to
 *  write it anew, the file before stays beside it for a while under a name that says how much of it is in the new one: what is
 *  still appended to it is carried over with our next write, and read until then. */

/** The text of the file, with what was appended to those it took the place of. */
export function readLines(path: string): string {
  // Those first: what is carried over in the meantime is seen twice rather than not at all.
  const late = guarded(path, () => asides(path).map((aside) => tailOf(aside).toString('utf8')));
  const text = files.readText(path) ?? '';
  const seen = new Set(late.some((tail) => tail !== '') ? text.split('\n') : []);
  return late
    .flatMap((tail) => tail.split('\n'))
    .filter((line) => line !== '' && !seen.has(line))
    .reduce((all, line) => `${all}${all === '' || all.endsWith('\n') ? '' : '\n'}${line}\n`, text);
}

/** Adds a line once `check` has nothing against it, of many processes one at a time. */
export function addLine(path: string, check: (text: string) => string): void {
  files.makeFolder(dirname(path));
  files.alone(path, () => {
    guarded(path, () => carryOver(path));
    files.appendLine(path, check(files.readText(path) ?? ''));
  });
}

/** Writes the file anew, whole or not at all, as `change` says of its lines. A line that stays is the same to the byte. */
export function changeLines(path: string, change: (lines: string[]) => LineChange[]): void {
  if (!existsSync(path)) return;
  files.alone(path, () =>
    guarded(path, () => {
      carryOver(path);
      const bytes = settled(path);
      const changes = change(bytes.toString('utf8').split('\n'));
      if (changes.every((one) => one === 'keep')) return;
      const fresh = `${path}.tmp-${process.pid}-${token()}`;
      try {
        write(fresh, 'wx', changed(bytes, changes), statSync(path).mode);
        linkSync(path, asidePath(path, bytes.length));
        renameSync(fresh, path);
      } finally {
        rmSync(fresh, { force: true });
      }
      carryOver(path);
    }),
  );
}

/** A line that is being written is waited for; one that nobody ends is a line like any other. */
function settled(path: string): Buffer {
  for (;;) {
    const bytes = readFileSync(path);
    const isFresh = Date.now() - statSync(path).mtimeMs < unfinishedMs;
    if (bytes.length === 0 || bytes.at(-1) === newline || !isFresh) return bytes;
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20);
  }
}

function changed(bytes: Buffer, changes: LineChange[]): Buffer {
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

interface Aside {
  path: string;
  /** Bytes of it that are in the file that took its place. */
  length: number;
}

const newline = 0x0a;
const unfinishedMs = 500;
const keptMs = 600_000;
const token = (): string => Math.random().toString(36).slice(2, 8).padEnd(6, '0');
const asidePath = (path: string, length: number): string => join(dirname(path), `.${basename(path)}.tmp-${length}-${token()}`);

function asides(path: string): Aside[] {
  return files.list(dirname(path)).flatMap(({ name }) => {
    const length = name.startsWith(`.${basename(path)}.tmp-`) && /-(\d+)-[a-z0-9]{6}$/.exec(name)?.[1];
    return length ? [{ path: join(dirname(path), name), length: Number(length) }] : [];
  });
}

function tailOf({ path, length }: Aside): Buffer {
  const file = openSync(path, 'r');
  try {
    const tail = Buffer.alloc(Math.max(0, fstatSync(file).size - length));
    return tail.subarray(0, tail.length ? readSync(file, tail, 0, tail.length, length) : 0);
  } finally {
    closeSync(file);
  }
}

/** Appended before it is noted as carried over: a process that dies in between leaves a line twice, not none. */
function carryOver(path: string): void {
  for (const aside of asides(path)) {
    const { ctimeMs, mtimeMs } = statSync(aside.path);
    const tail = tailOf(aside);
    // What has no end yet waits, unless nobody is writing it.
    const whole = Date.now() - mtimeMs < unfinishedMs ? tail.subarray(0, tail.lastIndexOf(newline) + 1) : tail;
    if (whole.length > 0) {
      write(path, 'a', Buffer.concat([Buffer.from(startsALine(aside) && !endsInALine(path) ? '\n' : ''), whole]));
      renameSync(aside.path, asidePath(path, aside.length + whole.length));
    } else if (Date.now() - ctimeMs > keptMs) rmSync(aside.path, { force: true });
  }
}

const startsALine = ({ path, length }: Aside): boolean => length === 0 || readFileSync(path)[length - 1] === newline;
const endsInALine = (path: string): boolean => [undefined, newline].includes(readFileSync(path).at(-1));

function write(path: string, flags: string, bytes: Buffer, mode = 0o666): void {
  const file = openSync(path, flags, mode);
  try {
    for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
