import { basename } from 'node:path';
import { listExpiredBackups } from '#admin/rules/expired-backups.ts';
import { files } from '../files.ts';
import type { Backups } from './port.ts';

/** Creates backups. The file gets its final name last, so that every listed backup is complete and has a checksum. */
export function createBackupMaker({ list, getPath: pathOf }: Pick<Backups, 'list' | 'getPath'>): Backups['create'] {
  return async (project, { at, kind, keep }, copy) => {
    const id = findFreeId(at, kind, (candidate) => files.exists(pathOf(project, candidate)));
    const path = pathOf(project, id);
    const unfinished = `${path}.tmp`;
    files.createFolder(path.slice(0, -basename(path).length));
    try {
      // An empty file with the right mode: SQLite writes into it.
      files.writeNew(unfinished, '');
      await copy(unfinished);
      files.sync(unfinished);
      files.writeAtomic(`${path}.sha256`, `${files.sha256(unfinished)}  ${basename(path)}\n`);
      files.rename(unfinished, path);
    } catch (error) {
      files.remove(unfinished);
      files.remove(`${path}.sha256`);
      throw error;
    }
    const all = list(project);
    const removed = listExpiredBackups(all, keep);
    for (const old of removed) {
      files.remove(pathOf(project, old));
      files.remove(`${pathOf(project, old)}.sha256`);
    }
    return { backup: all.find((backup) => backup.id === id)!, removed };
  };
}

/** Returns an id made of the time; a second backup of the same millisecond gets the next one. */
function findFreeId(at: string, kind: string, isTaken: (id: string) => boolean): string {
  for (let time = Date.parse(at); ; time++) {
    const id = `${new Date(time).toISOString().replace(/[-:.]/g, '')}-${kind}`;
    if (!isTaken(id)) return id;
  }
}
