import {
  appendFileSync,
  closeSync,
  constants,
  existsSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { CleoError } from '#core/errors/error.ts';
import { defined } from '#lib/collections.ts';
import type { Redactor } from '#lib/redactor.ts';
import { reportWriteErrors } from '#runs/errors/skill.ts';
import { extractPayloads, formatNextLine, genesis, isMilestone, parseEvents } from '#runs/rules/trace.ts';
import { removeDrafts } from '../drafts.ts';
import { createPrivate, endsWithNewline, writePrivate } from '../files.ts';
import { acquireLock } from '../lock-file.ts';
import type { Platform } from '../port.ts';
import type { ReviewLog, RunFolder, TraceFolder, TraceWriter } from './port.ts';

/** `.cleo/runs`: one folder per run, readable by its owner only. */
export function createRunFolder(top: string, prefix = 'run-'): RunFolder {
  return {
    createAttemptFolder(runId, phase, skill, attempt) {
      const folder = join(top, runId, phase, skill, String(attempt));
      reportWriteErrors(folder, 73, () => mkdirSync(folder, { recursive: true, mode: 0o700 }));
      return folder;
    },
    write(runId, name, text, durability = 'durable') {
      const path = join(top, runId, name);
      reportWriteErrors(path, 73, () => {
        mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
        writePrivate(path, text, durability);
      });
    },
    read: (runId, name) => readIfExists(join(top, runId, name)),
    readEnd: (runId, name, maxBytes) => readEnd(join(top, runId, name), maxBytes),
    list: () =>
      (existsSync(top) ? readdirSync(top, { withFileTypes: true }) : [])
        .filter((entry) => entry.isDirectory() && entry.name.startsWith(prefix))
        .map(({ name }) => name)
        .sort(),
    modifiedAt: (runId) => getModifiedTime(join(top, runId)),
    remove: (runId) => reportWriteErrors(runId, 73, () => rmSync(join(top, runId), { recursive: true, force: true })),
  };
}

const traceFile = /^\d{4}-\d\d-\d\d-(run-[A-Za-z0-9._-]+)\.jsonl$/;

/** `.cleo/traces`: one trace per run, its `.corrupt` files, large payloads in `blobs`, and PRUNED.jsonl. */
export function createTraceFolder(folder: string): TraceFolder {
  const at = (name: string): string => join(folder, name);
  const pruned = at('PRUNED.jsonl');
  return {
    list: () =>
      listFiles(folder).flatMap((name) => {
        const runId = traceFile.exec(name)?.[1];
        return runId === undefined ? [] : [{ name, runId }];
      }),
    read(name) {
      // A concurrent prune can remove the file after it was listed.
      if (!existsSync(at(name))) return undefined;
      const bytes = readFileSync(at(name));
      const text = bytes.toString('utf8');
      return defined({ text, invalidLine: text.includes('\ufffd') ? findInvalidLine(bytes, text) : undefined });
    },
    modifiedAt: (name) => getModifiedTime(at(name)),
    truncate(name, lines) {
      const bytes = readFileSync(at(name));
      let end = 0;
      for (let n = 0; n < lines; n += 1) end = bytes.indexOf(0x0a, end) + 1;
      return reportWriteErrors(at(name), 73, () => {
        // The rest is on disk in its new place before it leaves the old one.
        const rest = moveToCorruptFile(at(name), bytes.subarray(end));
        writePrivate(at(name), bytes.subarray(0, end));
        return rest;
      });
    },
    remove: (name) =>
      reportWriteErrors(at(name), 73, () => {
        for (const file of listFiles(folder)) if (file === name || belongsTo(name, file)) rmSync(at(file), { force: true });
      }),
    listBlobs: () => listFiles(at('blobs')).map((name) => ({ name, modifiedAt: getModifiedTime(join(folder, 'blobs', name)) })),
    removeBlob: (name) => reportWriteErrors(name, 73, () => rmSync(join(folder, 'blobs', name), { force: true })),
    readPruned: () => readIfExists(pruned) ?? '',
    appendPruned: (line) =>
      reportWriteErrors(pruned, 73, () => {
        mkdirSync(folder, { recursive: true, mode: 0o700 });
        const isTorn = !/(^|\n)$/.test(readIfExists(pruned) ?? '');
        appendFileSync(pruned, `${isTorn ? '\n' : ''}${line}\n`, { mode: 0o600 });
      }),
    readLastPrune: () => (readIfExists(at('.pruned')) ?? '').trim(),
    recordPrune: (time) =>
      reportWriteErrors(folder, 73, () => {
        mkdirSync(folder, { recursive: true, mode: 0o700 });
        writePrivate(at('.pruned'), `${time}\n`);
        for (const place of [folder, at('blobs')]) removeDrafts(place);
      }),
  };
}

/** Writes bytes that are not part of a trace to a new `.corrupt` file next to it and returns the name of that file. */
function moveToCorruptFile(trace: string, bytes: Uint8Array): string {
  for (let count = 1; ; count += 1) {
    const path = `${trace}.corrupt${count === 1 ? '' : `-${count}`}`;
    if (createPrivate(path, bytes)) return basename(path);
  }
}

const reviewLockMs = 3000;

/** `.cleo/reviews.jsonl`: review requests and verdicts, one per line. */
export function createReviewLog({ files }: Pick<Platform, 'files'>, path: string): ReviewLog {
  return {
    read: () => files.readText(path) ?? '',
    append: (event) => files.appendLine(path, JSON.stringify(event)),
    async withLock(work) {
      const lock = await acquireLock(join(dirname(path), 'runs'), 'reviews', reviewLockMs).catch((error) => {
        throw toCleoCodes(error, path);
      });
      try {
        return work();
      } finally {
        lock.release();
      }
    },
  };
}

/** Maps exit codes of skills back to those of CLEO, which the review commands use. */
function toCleoCodes(error: unknown, path: string): unknown {
  if (!(error instanceof CleoError)) return error;
  if (error.exitCode === 75) return new CleoError('E_LOCK_TIMEOUT', { waitedMs: reviewLockMs, path });
  return new CleoError('E_FILE_ERROR', { path, problem: error.message, fix: 'cleo doctor' }, { cause: error });
}

const readIfExists = (path: string): string | undefined => (existsSync(path) ? readFileSync(path, 'utf8') : undefined);

/** Reads the end of a file from the first whole line on. */
function readEnd(path: string, maxBytes: number): ReturnType<RunFolder['readEnd']> {
  // A link could lead to any file of the user.
  if (!lstatSync(path, { throwIfNoEntry: false })?.isFile()) return undefined;
  const file = openSync(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0));
  try {
    const { size } = fstatSync(file);
    const from = Math.max(0, size - maxBytes);
    const bytes = Buffer.alloc(size - from);
    const text = bytes.subarray(0, readSync(file, bytes, 0, bytes.length, from)).toString('utf8');
    return { text: from === 0 ? text : text.slice(text.indexOf('\n') + 1), bytes: size, isCut: from > 0 };
  } finally {
    closeSync(file);
  }
}

const getModifiedTime = (path: string): string => statSync(path, { throwIfNoEntry: false })?.mtime.toISOString() ?? '';

const listFiles = (folder: string): string[] =>
  (existsSync(folder) ? readdirSync(folder, { withFileTypes: true }) : [])
    .filter((entry) => entry.isFile())
    .map(({ name }) => name)
    .sort();

/** Matches the `.corrupt` files of a trace and its unfinished replacements. */
const belongsTo = (trace: string, name: string): boolean => ['corrupt', 'tmp-'].some((ending) => name.startsWith(`${trace}.${ending}`));

/** The number of the first line that is not UTF-8. */
function findInvalidLine(bytes: Buffer, text: string): number | undefined {
  if (Buffer.from(text).equals(bytes)) return undefined;
  let line = 1;
  for (let at = 0; at < bytes.length; line += 1) {
    const end = bytes.indexOf(0x0a, at) < 0 ? bytes.length : bytes.indexOf(0x0a, at);
    const part = bytes.subarray(at, end);
    if (!Buffer.from(part.toString('utf8')).equals(part)) return line;
    at = end + 1;
  }
  return undefined;
}

interface TraceWriterOptions {
  runId: string;
  redactor: Redactor;
  now(): string;
  hash(content: string | Uint8Array): string;
}

/** Opens the trace of a new or resumed run. Each line is one write, so that lines never mix. An incomplete last line, left by a crash,
 *  is moved to a `.corrupt` file, so that the hash chain continues from the last complete line. */
export function openTraceWriter(path: string, { runId, redactor, now, hash }: TraceWriterOptions): TraceWriter {
  const flags = constants.O_RDWR | constants.O_APPEND | constants.O_CREAT | (constants.O_NOFOLLOW ?? 0);
  const file = openSync(path, flags, 0o600);
  const tornFile = moveTornLine(file, path);
  let last = readLastLine(file, path, hash);
  // Events of one turn of the event loop are flushed together.
  let isDue = false;
  let isOpen = true;
  let syncError: unknown;
  const sync = (): void => {
    if (!isDue) return;
    isDue = false;
    reportWriteErrors(path, 74, () => fsyncSync(file));
  };
  const syncLater = (): void => {
    try {
      if (isOpen) sync();
    } catch (error) {
      syncError = error;
    }
  };
  const blobs = join(dirname(path), 'blobs');
  return {
    write(event, data, subject = {}) {
      if (syncError) throw syncError;
      // Redact before the payloads are split off, so that blobs are redacted too.
      const clean = redactor.value(data) as Record<string, unknown>;
      reportWriteErrors(path, 74, () => {
        const slim = extractPayloads(clean, (text) => writeBlob(blobs, text, hash(text)));
        const { text, ts } = formatNextLine(last, { ts: now(), event, data: slim, run_id: runId, ...subject });
        appendBytes(file, Buffer.from(`${text}\n`));
        last = { head: hash(text), lines: last.lines + 1, ts };
        if (isMilestone(event) && !isDue) {
          isDue = true;
          setImmediate(syncLater);
        }
      });
      return clean;
    },
    ...defined({ tornFile }),
    head: () => last.head,
    lines: () => last.lines,
    sync,
    close: () => {
      isOpen = false;
      try {
        sync();
      } finally {
        closeSync(file);
      }
    },
  };
}

/** Appends a line, or takes it back if the disk is full. A partial line would become the beginning of the next one. */
function appendBytes(file: number, bytes: Uint8Array): void {
  const { size } = fstatSync(file);
  let written = 0;
  try {
    written = writeSync(file, bytes);
    if (written < bytes.length) throw Object.assign(new Error('no space left for the trace'), { code: 'ENOSPC' });
  } catch (error) {
    if (written > 0) ftruncateSync(file, size);
    throw error;
  }
}

function writeBlob(folder: string, text: string, name: string): string {
  const path = join(folder, name);
  if (existsSync(path)) return name;
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  writePrivate(path, text);
  return name;
}

/** Moves an incomplete last line to a `.corrupt` file and returns the name of that file. */
function moveTornLine(file: number, path: string): string | undefined {
  if (endsWithNewline(file)) return undefined;
  const bytes = readFileSync(path);
  const end = bytes.lastIndexOf(0x0a) + 1;
  const tornFile = moveToCorruptFile(path, bytes.subarray(end));
  ftruncateSync(file, end);
  return tornFile;
}

/** Reads head, line count and time of the last line. The hash covers the bytes, even if they are not an event. */
function readLastLine(file: number, path: string, hash: (content: Uint8Array) => string): { head: string; lines: number; ts: string } {
  if (fstatSync(file).size === 0) return { head: genesis, lines: 0, ts: '' };
  const bytes = readFileSync(path);
  const last = bytes.subarray(bytes.length === 1 ? 0 : bytes.lastIndexOf(0x0a, bytes.length - 2) + 1, bytes.length - 1);
  const line = parseEvents(`${last.toString('utf8')}\n`).lines[0]?.line ?? parseEvents(bytes.toString('utf8')).lines.at(-1)?.line;
  return { head: hash(last), lines: line?.seq ?? 0, ts: line?.ts ?? '' };
}
