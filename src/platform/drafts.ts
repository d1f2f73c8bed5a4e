import { readdirSync, statSync, unlinkSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

const draftName = /\.tmp-(\d+)-[0-9a-z]+$/;
const abandonedMs = 3_600_000;

/** Removes temporary files that killed writers left in a folder: those older than an hour. With `dead` also below it, those whose writers no
 *  longer run; with `all` every one, if no writer can be running. */
export function removeDrafts(folder: string, whose: 'old' | 'dead' | 'all' = 'old'): void {
  for (const entry of listEntries(folder)) {
    const path = join(folder, entry.name);
    if (entry.isDirectory() && whose !== 'old') removeDrafts(path, whose);
    const pid = entry.isFile() ? draftName.exec(entry.name)?.[1] : undefined;
    if (pid === undefined) continue;
    if (whose === 'all' || (whose === 'dead' ? !isRunning(Number(pid)) : isOld(path))) removeQuietly(path);
  }
}

/** Removes temporary files of this file whose writers no longer run. */
export function removeDraftsFor(path: string): void {
  for (const { name } of listEntries(dirname(path))) {
    const pid = name.startsWith(`${basename(path)}.tmp-`) ? draftName.exec(name)?.[1] : undefined;
    if (pid !== undefined && !isRunning(Number(pid))) removeQuietly(join(dirname(path), name));
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

function listEntries(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    // The folder is missing or not readable, so there is nothing to remove.
    return [];
  }
}

const isOld = (path: string): boolean => Date.now() - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Date.now()) > abandonedMs;

function removeQuietly(path: string): void {
  try {
    unlinkSync(path);
  } catch {
    // Already removed, or not permitted.
  }
}
