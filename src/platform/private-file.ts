import { readdirSync, renameSync, statSync, unlinkSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { beside, place } from './files.ts';

/** A file for nobody else to read, whole or not at all; on disk when this returns, unless losing it with the power is no loss. */
export function replacePrivate(path: string, content: string | Uint8Array, how: 'durable' | 'soon' = 'durable'): void {
  const put = (fresh: string): boolean => {
    renameSync(fresh, path);
    return true;
  };
  beside(path, content, 0o600, put, how === 'durable');
}

/** Likewise, unless there is one already; whether it is the one that is there. */
export const placePrivate = (path: string, content: string | Uint8Array): boolean =>
  beside(path, content, 0o600, (fresh) => place(fresh, path));

const draft = /\.tmp-(\d+)-[0-9a-z]+$/;
const abandonedMs = 3_600_000;

/** Takes away what writers that were killed had begun to write in a folder: what nobody has touched for an hour, or, where it is known
 *  that no writer is left, all of it. */
export function sweepDrafts(folder: string, whose: 'old' | 'all' = 'old'): void {
  for (const entry of entriesIn(folder)) {
    const path = join(folder, entry.name);
    if (entry.isDirectory() && whose === 'all') sweepDrafts(path, 'all');
    if (entry.isFile() && draft.test(entry.name) && (whose === 'all' || isOld(path))) removed(path);
  }
}

/** Takes away what writers of this one file left beside it who are no more. */
export function sweepDraftsOf(path: string): void {
  for (const { name } of entriesIn(dirname(path))) {
    const pid = name.startsWith(`${basename(path)}.tmp-`) ? draft.exec(name)?.[1] : undefined;
    if (pid !== undefined && !isRunning(Number(pid))) removed(join(dirname(path), name));
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

function entriesIn(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    // Not there, or not ours to read: then there is nothing to take away.
    return [];
  }
}

const isOld = (path: string): boolean => Date.now() - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Date.now()) > abandonedMs;

function removed(path: string): void {
  try {
    unlinkSync(path);
  } catch {
    // Gone already, or not ours to take away.
  }
}
