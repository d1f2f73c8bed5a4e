import { execFileSync } from 'node:child_process';
import { chmodSync, cpSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { cleoPath, isNative } from '../built-cli.ts';
import { type CleoOptions, createFaultFolder, dist, readBytes, root } from './processes.ts';

const isRoot = process.getuid?.() === 0;

export const canMountDisks = isRoot && process.platform === 'linux';

/** Mounts a disk of two megabytes; if that is not possible, limits the size of files instead. */
export function createSmallDisk(): { folder: string; leave(kilobytes: number): CleoOptions; free(): void } {
  if (canMountDisks) {
    const disk = mountDisk(2);
    const leave = (kilobytes: number): CleoOptions => {
      disk.leave(kilobytes);
      return {};
    };
    return { ...disk, leave };
  }
  const folder = createFaultFolder();
  const leave = (kilobytes: number): CleoOptions => ({ ulimit: `-f ${Math.ceil(getLogSize(folder) / 1024) + kilobytes}` });
  return { folder, free: () => {}, leave };
}

export interface MountedDisk {
  folder: string;
  /** Fills the disk until so much is left. */
  leave(kilobytes: number): void;
  free(): void;
}

export function mountDisk(megabytes: number): MountedDisk {
  const folder = createFaultFolder();
  const ballast = join(folder, 'ballast');
  const free = () => rmSync(ballast, { force: true });
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', folder]);
  onTestFinished(() => void execFileSync('umount', [folder]));
  return {
    folder,
    free,
    leave(kilobytes) {
      free();
      const text = execFileSync('df', ['--output=avail', '-k', folder], { encoding: 'utf8' });
      writeFileSync(ballast, Buffer.alloc(Math.max(0, Number(text.split('\n')[1]) - kilobytes) * 1024));
    },
  };
}

const getLogSize = (folder: string): number => {
  const log = join(folder, '.cleo', 'cleo.db-wal');
  return existsSync(log) ? readBytes(log).length : 0;
};

/** Returns options to run as the user nobody, with a readable copy of the build. Root ignores permissions. */
export function createNobodyOptions(): CleoOptions {
  if (!isRoot) return {};
  const folder = mkdtempSync(join(tmpdir(), 'cleo-nobody-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  chmodSync(folder, 0o755);
  if (isNative) {
    const copy = join(folder, 'cleo');
    cpSync(cleoPath, copy);
    return { uid: 65534, gid: 65534, cleo: copy };
  }
  cpSync(dist, join(folder, 'dist'), { recursive: true });
  cpSync(join(root, 'node_modules', '@photostructure'), join(folder, 'node_modules', '@photostructure'), { recursive: true });
  execFileSync('chmod', ['-R', 'a+rX', folder]);
  return { uid: 65534, gid: 65534, cleo: join(folder, 'dist', 'cleo.js') };
}
