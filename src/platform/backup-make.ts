import { basename } from 'node:path';
import { superfluous } from '#admin/rules/backups.ts';
import { files } from './files.ts';
import type { Backups } from './port.ts';

/** The file gets its name last, so that whatever is listed is whole and has its checksum. */
export function backupMaker({ list, pathOf }: Pick<Backups, 'list' | 'pathOf'>): Backups['make'] {
  return async (project, { at, kind, keep }, copy) => {
    const id = freeId(at, kind, (candidate) => files.exists(pathOf(project, candidate)));
    const path = pathOf(project, id);
    const unfinished = `${path}.tmp`;
    files.makeFolder(path.slice(0, -basename(path).length));
    try {
      await copy(unfinished);
      files.sync(unfinished);
      files.writeWhole(`${path}.sha256`, `${files.sha256(unfinished)}  ${basename(path)}\n`);
      files.rename(unfinished, path);
    } catch (error) {
      files.remove(unfinished);
      files.remove(`${path}.sha256`);
      throw error;
    }
    const all = list(project);
    const removed = superfluous(all, keep);
    for (const old of removed) {
      files.remove(pathOf(project, old));
      files.remove(`${pathOf(project, old)}.sha256`);
    }
    return { backup: all.find((backup) => backup.id === id)!, removed };
  };
}

/** Named after its moment; a second one of the same moment after the next. */
function freeId(at: string, kind: string, isTaken: (id: string) => boolean): string {
  for (let time = Date.parse(at); ; time++) {
    const id = `${new Date(time).toISOString().replace(/[-:.]/g, '')}-${kind}`;
    if (!isTaken(id)) return id;
  }
}
