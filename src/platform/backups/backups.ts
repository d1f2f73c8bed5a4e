import { join } from 'node:path';
import { files } from '../files.ts';
import type { Project } from '../port.ts';
import type { BackupKind, Backups } from './port.ts';

const backupName = /^(\d{4})(\d{2})(\d{2})T(\d{2})(\d{2})(\d{2})(\d{3})Z-(manual|automatic|replaced)\.db$/;

const getFolder = (project: Project): string => join(project.folder, 'backups');

export const backups: Backups = {
  list: (project) =>
    files
      .list(getFolder(project))
      .flatMap(({ name, size }) => {
        const m = backupName.exec(name);
        const createdAt = m && `${m[1]}-${m[2]}-${m[3]}T${m[4]}:${m[5]}:${m[6]}.${m[7]}Z`;
        return createdAt ? [{ id: name.slice(0, -3), size, createdAt, kind: m[8] as BackupKind }] : [];
      })
      .sort((a, b) => (a.id < b.id ? 1 : -1)),
  getPath: (project, id) => join(getFolder(project), `${id}.db`),
  create: async (...args) => (await import('./create-backup.ts')).createBackupMaker(backups)(...args),
  async createDaily(project, { at, keep }, copy) {
    const today = at.slice(0, 10);
    if (backups.list(project).some(({ kind, createdAt }) => kind === 'automatic' && createdAt.startsWith(today))) return;
    await backups.create(project, { at, kind: 'automatic', keep }, copy).catch(() => {});
  },
  isUnchanged(project, id) {
    const path = backups.getPath(project, id);
    const written = /^[0-9a-f]{64}(?= )/.exec(files.readText(`${path}.sha256`) ?? '')?.[0];
    return written === undefined ? undefined : written === files.sha256(path);
  },
};
