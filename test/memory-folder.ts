import { chmodSync, mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';

/** The folder for temporary files on a disk. */
export const getDiskFolder = (): string => process.env.CLEO_DISK_FOLDER ?? tmpdir();

const memoryDisk = '/dev/shm';
const minFreeBytes = 4 * 2 ** 30;

/** Puts the temporary files of this process and of the processes it starts on a disk in memory, if the system has a large one. Tests
 *  create and delete tens of thousands of small files, which takes a quarter of their time on a real disk. */
export function useMemoryFolder(): void {
  if (process.env.TMPDIR || !hasSpace()) return;
  const folder = mkdtempSync(`${memoryDisk}/cleo-`);
  // PostgreSQL and some tests run as another user.
  chmodSync(folder, 0o1777);
  process.env.CLEO_DISK_FOLDER = tmpdir();
  process.env.TMPDIR = folder;
  process.once('exit', () => {
    try {
      rmSync(folder, { recursive: true, force: true });
    } catch {
      // A process that a cancelled test has started may still write. That must not change the exit code of the run.
    }
  });
}

function hasSpace(): boolean {
  try {
    const { bavail, bsize } = statfsSync(memoryDisk);
    return bavail * bsize >= minFreeBytes;
  } catch {
    return false;
  }
}
