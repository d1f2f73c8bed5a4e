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
import type { ScratchFolder } from './port.ts';

const maxBytes = 4 * 2 ** 20;

const getNamePrefix = (runId: string): string => `cleo-skill-${runId}-`;

/** The common beginning of the paths of all scratch folders of a run. */
export const getScratchPrefix = (runId: string): string => join(realpathSync(tmpdir()), getNamePrefix(runId));

export function createScratch(runId: string): ScratchFolder {
  const folder = mkdtempSync(join(tmpdir(), getNamePrefix(runId)));
  const [result, events] = [join(folder, 'result.json'), join(folder, 'events.jsonl')];
  const decoder = new TextDecoder();
  let at = 0;
  let rest = '';
  return {
    folder,
    result,
    events,
    readLines(isEnd = false) {
      const { bytes } = readFrom(events, at, maxBytes - at);
      at += bytes.length;
      rest += decoder.decode(bytes, { stream: !isEnd });
      const lines = rest.split(/\r?\n/);
      rest = isEnd ? '' : (lines.pop() ?? '');
      return lines.filter((line) => line.trim() !== '');
    },
    takeResult() {
      try {
        const file = readFrom(result, 0, maxBytes);
        const problems = [...describeProblem('CLEO_RESULT', file), ...describeProblem('CLEO_EVENTS', readFrom(events, at, 0))];
        return { ...(file.size > 0 && file.size <= maxBytes ? { result: file.bytes.toString('utf8') } : {}), problems };
      } finally {
        removeFolder(folder, [result, events]);
      }
    },
  };
}

/** Removes the files one by one. `rmSync` with `recursive` loads a large part of Node, and most skills write these two files at most. */
function removeFolder(folder: string, files: string[]): void {
  try {
    for (const file of files) if (lstatSync(file, { throwIfNoEntry: false })?.isDirectory() === false) unlinkSync(file);
    rmdirSync(folder);
  } catch {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Removes the scratch folders that a killed runner left of a run. */
export function removeScratch(runId: string): void {
  for (const name of readdirSync(tmpdir()).filter((one) => one.startsWith(getNamePrefix(runId))))
    rmSync(join(tmpdir(), name), { recursive: true, force: true });
}

interface FileContent {
  bytes: Buffer;
  size: number;
  problem?: string;
}

/** Reads a regular file. It does not follow a link, and does not block on a pipe. */
function readFrom(path: string, from: number, limit: number): FileContent {
  const nothing = { bytes: Buffer.alloc(0), size: 0 };
  let file: number;
  try {
    file = openSync(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT' ? nothing : { ...nothing, problem: 'cannot be read' };
  }
  try {
    const stats = fstatSync(file);
    if (!stats.isFile()) return { ...nothing, problem: 'is not a regular file' };
    const bytes = Buffer.alloc(Math.max(0, Math.min(limit, stats.size - from)));
    let length = 0;
    for (let read = -1; read !== 0 && length < bytes.length; length += read)
      read = readSync(file, bytes, length, bytes.length - length, from + length);
    return { bytes: bytes.subarray(0, length), size: stats.size };
  } finally {
    closeSync(file);
  }
}

const describeProblem = (variable: string, { problem, size }: FileContent): string[] =>
  problem ? [`${variable} ${problem}`] : size > maxBytes ? [`${variable} is larger than 4 MiB`] : [];
