import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readFileSync,
  writeSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { defined } from '#lib/defined.ts';
import type { Redactor } from '#lib/redactor-port.ts';
import { reportWriteErrors } from '#runs/errors/skill.ts';
import { formatNextLine, genesis, isMilestone, parseEvents } from '#runs/rules/trace.ts';
import { extractPayloads } from '#runs/rules/trace-payload.ts';
import { endsWithNewline } from '../files.ts';
import { writePrivate } from '../private-file.ts';
import type { TraceWriter } from './port.ts';
import { moveToCorruptFile } from './run-files.ts';

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
