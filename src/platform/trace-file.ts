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
import type { Redactor } from '#lib/redactor-port.ts';
import { eventsIn, genesis, isMilestone, nextLine } from '#runs/rules/trace.ts';
import { withoutPayloads } from '#runs/rules/trace-payload.ts';
import { endsInALine } from './files.ts';
import type { TraceWriter } from './ground-port.ts';
import { replacePrivate } from './private-file.ts';
import { setAside } from './trace-folder.ts';
import { writing } from './unwritable.ts';

/** The trace of a run, new or gone on with. One write a line, so that two never mix; what a crash tore off its end is put aside, so that
 *  the chain goes on from the last whole line. */
export function traceWriter(
  path: string,
  about: { runId: string; redactor: Redactor; now(): string; hash(content: string | Uint8Array): string },
): TraceWriter {
  const flags = constants.O_RDWR | constants.O_APPEND | constants.O_CREAT | (constants.O_NOFOLLOW ?? 0);
  const file = openSync(path, flags, 0o600);
  const aside = putAside(file, path);
  let after = stateOf(file, path, about.hash);
  // Events that come at once go to disk at once: nothing happens between them that could be told from the outside.
  let isDue = false;
  let problem: unknown;
  const sync = (): void => {
    if (!isDue) return;
    isDue = false;
    writing(path, 74, () => fsyncSync(file));
  };
  const syncSoon = (): void => {
    try {
      sync();
    } catch (error) {
      problem = error;
    }
  };
  let isOpen = true;
  const blobs = join(dirname(path), 'blobs');
  const keep = (text: string): string => keepBlob(blobs, text, about.hash(text));
  return {
    write(event, data, of = {}) {
      if (problem) throw problem;
      // Redacted first: neither a line nor what is kept beside it holds what nobody may read.
      const clean = about.redactor.value(data) as Record<string, unknown>;
      writing(path, 74, () => {
        const slim = withoutPayloads(clean, keep);
        const { text, ts } = nextLine(after, { ts: about.now(), event, data: slim, run_id: about.runId, ...of });
        append(file, Buffer.from(`${text}\n`));
        after = { head: about.hash(text), lines: after.lines + 1, ts };
        if (isMilestone(event) && !isDue) {
          isDue = true;
          setImmediate(() => isOpen && syncSoon());
        }
      });
      return clean;
    },
    ...(aside === undefined ? {} : { aside }),
    head: () => after.head,
    lines: () => after.lines,
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

/** A line that did not fit is taken back: what a full disk tore off would be the beginning of the next line. */
function append(file: number, bytes: Uint8Array): void {
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

function keepBlob(folder: string, text: string, name: string): string {
  const path = join(folder, name);
  if (existsSync(path)) return name;
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  replacePrivate(path, text);
  return name;
}

/** A last line without an end is none; the file that it is kept in now. */
function putAside(file: number, path: string): string | undefined {
  if (endsInALine(file)) return undefined;
  const bytes = readFileSync(path);
  const whole = bytes.lastIndexOf(0x0a) + 1;
  const aside = setAside(path, bytes.subarray(whole));
  ftruncateSync(file, whole);
  return aside;
}

/** By its bytes, whatever they are: the chain is one of bytes. */
function stateOf(file: number, path: string, hash: (content: Uint8Array) => string): { head: string; lines: number; ts: string } {
  if (fstatSync(file).size === 0) return { head: genesis, lines: 0, ts: '' };
  const bytes = readFileSync(path);
  const last = bytes.subarray(bytes.length === 1 ? 0 : bytes.lastIndexOf(0x0a, bytes.length - 2) + 1, bytes.length - 1);
  const line = eventsIn(`${last.toString('utf8')}\n`).lines[0]?.line ?? eventsIn(bytes.toString('utf8')).lines.at(-1)?.line;
  return { head: hash(last), lines: line?.seq ?? 0, ts: line?.ts ?? '' };
}
