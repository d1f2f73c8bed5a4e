import { lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** True if `.cleo` or a file in it is a link, belongs to another user, or can be written by every user. Every call that opens the store
 *  pays for this, so it only decides whether `project-trust.ts` has to look closer. */
export function isSuspectFolder(folder: string): boolean {
  const uid = process.geteuid?.();
  const isSuspect = (path: string): boolean => {
    const stats = lstatSync(path, { throwIfNoEntry: false });
    if (!stats) return false;
    return stats.isSymbolicLink() || (uid !== undefined && ((stats.uid !== uid && stats.uid !== 0) || (stats.mode & 0o002) !== 0));
  };
  try {
    const paths = [folder, ...['config.json', 'cleo.db'].map((name) => join(folder, name))];
    return paths.some(isSuspect) || readdirSync(folder, { withFileTypes: true }).some((entry) => entry.isSymbolicLink());
  } catch {
    // The folder is missing or not readable; opening the store reports that.
    return false;
  }
}
