import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { CleoError } from '#core/errors/error.ts';
import { defined } from '#lib/defined.ts';
import { reportWriteErrors } from '#runs/errors/skill.ts';
import type { Platform } from '../port.ts';
import { createPrivate, removeDrafts, writePrivate } from '../private-file.ts';
import { acquireLock } from './lock-file.ts';
import type { ReviewLog, RunFolder, TraceFolder } from './port.ts';

/** `.cleo/runs`: one folder per run, readable by its owner only. */
export function createRunFolder(top: string): RunFolder {
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
    list: () =>
      (existsSync(top) ? readdirSync(top, { withFileTypes: true }) : [])
        .filter((entry) => entry.isDirectory() && entry.name.startsWith('run-'))
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
        mkdirSync(folder, { recursive: true });
        const isTorn = !/(^|\n)$/.test(readIfExists(pruned) ?? '');
        appendFileSync(pruned, `${isTorn ? '\n' : ''}${line}\n`, { mode: 0o600 });
      }),
    readLastPrune: () => (readIfExists(at('.pruned')) ?? '').trim(),
    recordPrune: (time) =>
      reportWriteErrors(folder, 73, () => {
        mkdirSync(folder, { recursive: true });
        writePrivate(at('.pruned'), `${time}\n`);
        for (const place of [folder, at('blobs')]) removeDrafts(place);
      }),
  };
}

/** Writes bytes that are not part of a trace to a new `.corrupt` file next to it and returns the name of that file. */
export function moveToCorruptFile(trace: string, bytes: Uint8Array): string {
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
