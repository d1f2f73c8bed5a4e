import { lstatSync, readdirSync } from 'node:fs';

/** True if `.cleo` or a file in it is a link, belongs to another user, or can be written by every user. Every call that opens the store
 *  pays for this, so it only decides whether `project-trust.ts` has to look closer. */
export function isSuspectFolder(folder: string): boolean {
  const uid = process.geteuid?.();
  const isSuspect = (path: string, isOwn: boolean): boolean => {
    const stats = lstatSync(path, { throwIfNoEntry: false });
    if (!stats) return false;
    if (stats.isSymbolicLink()) return true;
    return isOwn && uid !== undefined && ((stats.uid !== uid && stats.uid !== 0) || (stats.mode & 0o002) !== 0);
  };
  try {
    if (isSuspect(folder, true)) return true;
    // Names only: with the types of the entries, Node takes longer than for these few `lstat` calls.
    for (const name of readdirSync(folder)) if (isSuspect(`${folder}/${name}`, name === 'config.json' || name === 'cleo.db')) return true;
    return false;
  } catch {
    // The folder is missing or not readable; opening the store reports that.
    return false;
  }
}
