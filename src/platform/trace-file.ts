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
  renameSync,
  writeSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import type { Redactor } from '../model/redactor.ts';
import type { TraceLine } from '../model/trace.ts';
import { isMilestone, nextLine, readTrace } from '../rules/trace.ts';
import { withoutPayloads } from '../rules/trace-payload.ts';
import type { TraceWriter } from './ground-port.ts';

/** The trace of a run, new or gone on with. One write a line, so that two never mix; what a crash tore off its end is taken away,
 *  so that the chain goes on from the last whole line. */
export function traceWriter(
  path: string,
  about: { runId: string; redactor: Redactor; now(): string; hash(text: string): string },
): TraceWriter {
  const flags = constants.O_RDWR | constants.O_APPEND | constants.O_CREAT | (constants.O_NOFOLLOW ?? 0);
  const file = openSync(path, flags, 0o600);
  let after = stateOf(file, path, about.hash);
  return {
    write(event, data, of = {}) {
      const clean = withoutPayloads(about.redactor.value(data) as Record<string, unknown>, (text) =>
        keepBlob(path, about.hash(text), text),
      );
      const { text, ts } = nextLine(after, { ts: about.now(), event, data: clean, run_id: about.runId, ...of });
      const bytes = Buffer.from(`${text}\n`);
      const written = writeSync(file, bytes);
      if (written < bytes.length) throw Object.assign(new Error('no space left for the trace'), { code: 'ENOSPC' });
      after = { head: about.hash(text), lines: after.lines + 1, ts };
      if (isMilestone(event)) fsyncSync(file);
    },
    head: () => after.head,
    lines: () => after.lines,
    close: () => {
      fsyncSync(file);
      closeSync(file);
    },
  };
}

/** What is too large for a line lies beside the traces, named by its hash, before any line names it. */
function keepBlob(trace: string, hash: string, text: string): string {
  const folder = join(dirname(trace), 'blobs');
  const path = join(folder, hash);
  if (existsSync(path)) return hash;
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const fresh = `${path}.tmp-${process.pid}`;
  const file = openSync(fresh, 'w', 0o600);
  try {
    const bytes = Buffer.from(text);
    for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  renameSync(fresh, path);
  return hash;
}

function stateOf(file: number, path: string, hash: (text: string) => string): { head: string; lines: number; ts: string } {
  const { size } = fstatSync(file);
  if (size === 0) return { head: 'genesis', lines: 0, ts: '' };
  const text = readFileSync(path, 'utf8');
  const whole = text.lastIndexOf('\n') + 1;
  if (whole < text.length) ftruncateSync(file, Buffer.byteLength(text.slice(0, whole)));
  const { head, lines } = readTrace(text.slice(0, whole), hash);
  const last: TraceLine | undefined = lines.at(-1)?.line;
  return { head, lines: last?.seq ?? 0, ts: last?.ts ?? '' };
}
