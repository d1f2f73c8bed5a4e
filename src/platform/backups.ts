import { join } from 'node:path';
import { files } from './files.ts';
import type { Backups } from './port.ts';

const named = /^(\d{4})(\d{2})(\d{2})T(\d{2})(\d{2})(\d{2})(\d{3})Z-(manual|automatic)\.db$/;

export const backups: Backups = {
  folder: (project) => join(project.folder, 'backups'),
  list(project) {
    return files
      .list(backups.folder(project))
      .flatMap(({ name, size }) => {
        const m = named.exec(name);
        return m
          ? [
              {
                id: name,
                size,
                createdAt: `${m[1]}-${m[2]}-${m[3]}T${m[4]}:${m[5]}:${m[6]}.${m[7]}Z`,
                kind: m[8] as 'manual' | 'automatic',
              },
            ]
          : [];
      })
      .sort((a, b) => (a.id < b.id ? 1 : -1));
  },
  newPath(project, at, kind) {
    files.makeFolder(backups.folder(project));
    return join(backups.folder(project), `${at.replace(/[-:.]/g, '')}-${kind}.db`);
  },
  prune(project, keep) {
    const gone = backups.list(project).slice(Math.max(keep, 1));
    for (const { id } of gone) files.remove(join(backups.folder(project), id));
    return gone.map(({ id }) => id);
  },
};
