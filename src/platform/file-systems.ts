import { chmodSync, lstatSync, readdirSync, statfsSync } from 'node:fs';
import { join, relative, sep } from 'node:path';

/** Lists the files and folders at and below `folder` that other users can access, as paths from it; `''` is the folder itself. `isPrivate`
 *  selects by path, with slashes. Links are not followed. Windows has no modes. */
export function listAccessible(folder: string, isPrivate: (path: string) => boolean): string[] {
  if (process.platform === 'win32') return [];
  const found: string[] = [];
  const visit = (path: string): void => {
    const status = lstatSync(path, { throwIfNoEntry: false });
    if (!status || status.isSymbolicLink()) return;
    const name = relative(folder, path).split(sep).join('/');
    if ((status.mode & 0o077) !== 0 && isPrivate(name)) found.push(name);
    if (status.isDirectory()) for (const entry of listNames(path)) visit(join(path, entry));
  };
  visit(folder);
  return found;
}

/** Lists the paths that the members of a group can write. Windows has no modes. */
export const listGroupWritable = (paths: string[]): string[] =>
  paths.filter((path) => process.platform !== 'win32' && ((lstatSync(path, { throwIfNoEntry: false })?.mode ?? 0) & 0o020) !== 0);

/** Takes all rights away from other users; returns the paths that were changed. Files of another user stay as they are. */
export function restrictAccess(folder: string, paths: string[]): string[] {
  return paths.filter((name) => {
    const path = join(folder, name);
    try {
      const { mode } = lstatSync(path);
      chmodSync(path, mode & 0o700);
      return lstatSync(path).mode !== mode;
    } catch {
      return false;
    }
  });
}

/** Checks for a network file system. Only Linux says which one it is. */
export function isNetworkDrive(path: string): boolean {
  // Magic numbers of NFS, SMB, SMB2, CIFS, AFS and 9P on Linux.
  const magics = [0x6969, 0x517b, 0xfe534d42, 0xff534d42, 0x5346414f, 0x01021997];
  try {
    return process.platform === 'linux' && magics.includes(statfsSync(path).type);
  } catch {
    return false;
  }
}

function listNames(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    // Only its owner can list it.
    return [];
  }
}
