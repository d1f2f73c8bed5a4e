import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readSync,
  realpathSync,
  rmdirSync,
  rmSync,
  unlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Scratch } from './ground-port.ts';

/** More than this no skill has to say of itself. */
const mostBytes = 4 * 2 ** 20;

const prefix = (runId: string): string => `cleo-skill-${runId}-`;

/** How the names of all folders of a run begin. */
export const scratchOf = (runId: string): string => join(realpathSync(tmpdir()), prefix(runId));

export function scratch(runId: string): Scratch {
  const place = mkdtempSync(join(tmpdir(), prefix(runId)));
  const [result, events] = [join(place, 'result.json'), join(place, 'events.jsonl')];
  const decoder = new TextDecoder();
  let at = 0;
  let waiting = '';
  return {
    folder: place,
    result,
    events,
    lines(isEnd = false) {
      const { bytes } = readFrom(events, at, mostBytes - at);
      at += bytes.length;
      waiting += decoder.decode(bytes, { stream: !isEnd });
      const all = waiting.split(/\r?\n/);
      waiting = isEnd ? '' : (all.pop() ?? '');
      return all.filter((line) => line.trim() !== '');
    },
    take() {
      try {
        const [said, told] = [readFrom(result, 0, mostBytes), readFrom(events, at, 0)];
        const problems = [
          ...(said.problem ? [`CLEO_RESULT ${said.problem}`] : said.size > mostBytes ? ['CLEO_RESULT is larger than 4 MiB'] : []),
          ...(told.problem ? [`CLEO_EVENTS ${told.problem}`] : told.size > mostBytes ? ['CLEO_EVENTS is larger than 4 MiB'] : []),
        ];
        return { ...(said.size > 0 && said.size <= mostBytes ? { result: said.bytes.toString('utf8') } : {}), problems };
      } finally {
        removed(place, [result, events]);
      }
    },
  };
}

/** What takes away whole trees is large, and hardly ever needed: most skills write these two files at most. */
function removed(place: string, files: string[]): void {
  try {
    for (const file of files) if (lstatSync(file, { throwIfNoEntry: false })?.isDirectory() === false) unlinkSync(file);
    rmdirSync(place);
  } catch {
    rmSync(place, { recursive: true, force: true });
  }
}

/** What a runner that was killed had no time to take away. */
export function forgetScratch(runId: string): void {
  for (const name of readdirSync(tmpdir()).filter((one) => one.startsWith(prefix(runId))))
    rmSync(join(tmpdir(), name), { recursive: true, force: true });
}

/** Neither through a link nor out of a pipe, which would hold us for ever. */
function readFrom(path: string, from: number, most: number): { bytes: Buffer; size: number; problem?: string } {
  const nothing = { bytes: Buffer.alloc(0), size: 0 };
  let file: number;
  try {
    file = openSync(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT' ? nothing : { ...nothing, problem: 'cannot be read' };
  }
  try {
    const found = fstatSync(file);
    if (!found.isFile()) return { ...nothing, problem: 'is no regular file' };
    const bytes = Buffer.alloc(Math.max(0, Math.min(most, found.size - from)));
    let length = 0;
    for (let read = -1; read !== 0 && length < bytes.length; length += read)
      read = readSync(file, bytes, length, bytes.length - length, from + length);
    return { bytes: bytes.subarray(0, length), size: found.size };
  } finally {
    closeSync(file);
  }
}
