import type { Project } from '../port.ts';

/** `manual`: created by a command. `automatic`: one a day, and before a migration. `replaced`: the store before a restore. */
export type BackupKind = 'manual' | 'automatic' | 'replaced';

export interface Backup {
  id: string;
  size: number;
  createdAt: string;
  kind: BackupKind;
}

export interface Backups {
  /** Newest first. */
  list(project: Project): Backup[];
  getPath(project: Project, id: string): string;
  /** Calls `copy` to write the file, stores its checksum, and removes old backups. */
  create(
    project: Project,
    options: { at: string; kind: BackupKind; keep: number },
    copy: (file: string) => Promise<void>,
  ): Promise<{ backup: Backup; removed: string[] }>;
  /** Creates the automatic backup of the day, unless there is one. Ignores failures: the write before it is safe. */
  createDaily(project: Project, options: { at: string; keep: number }, copy: (file: string) => Promise<void>): Promise<void>;
  /** Compares the file with its checksum; undefined without a checksum. */
  isUnchanged(project: Project, id: string): boolean | undefined;
}
