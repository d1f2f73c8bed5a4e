import { relative } from 'node:path';
import { answer, job } from '#core/define.ts';
import { quote } from '#core/errors/catalog.ts';
import { CleoError } from '#core/errors/error.ts';
import { defined } from '#lib/collections.ts';
import type { Backup } from '#platform/backups/port.ts';
import type { Platform, Project } from '#platform/port.ts';
import type { StoreAdmin } from '#store/port/store.ts';
import { schemaVersion } from '#store/schema-version.ts';
import '../errors.ts';
import { boolean, description, metadata, number, optional, pipe, strictObject, string } from 'valibot';
import { BackupRow } from './backup-create.ts';

export const adminBackupRestore = job({
  name: 'admin.backup.restore',
  summary: 'Replace the store with a backup',
  params: strictObject({ id: pipe(string(), description('Id of the backup, as shown by backup list'), metadata({ value: 'ID' })) }),
  result: strictObject({
    restored: BackupRow,
    replaced: optional(string()),
    movedTo: optional(string()),
    undo: optional(string()),
    /** Entries of the log whose changes the backup replaced. They stay in the log. */
    replacedEntries: optional(strictObject({ from: number(), to: number(), isSigned: boolean() })),
  }),
  errors: ['E_BACKUP_NOT_FOUND', 'E_CHECKSUM_MISMATCH', 'E_STORE_NEWER', 'E_FILE_ERROR', 'E_LOCK_TIMEOUT', 'E_DEPENDENCY_ERROR'],
  tier: 1,
  runsOn: 'server',
  needs: 'project',
  scope: 'admin',
  cli: { command: 'backup restore', args: ['id'] },
  example: { call: { id: '20260101T000000000Z-manual' }, exit: 4 },
  async run({ platform, project, now, config, storeAdmin }, { id }) {
    const admin = await storeAdmin(project);
    const backups = platform.backups.list(project);
    const backup = backups.find((one) => one.id === id.replace(/\.db$/, ''));
    if (!backup)
      throw new CleoError('E_BACKUP_NOT_FOUND', {
        id: id.slice(0, 100),
        fix: backups.length > 0 ? 'cleo backup list' : 'cleo help backup',
      });
    const file = platform.backups.getPath(project, backup.id);
    const warnings = await checkBackup(admin, platform, project, backup, file);
    const isIntact = (await admin.inspect()).problems.length === 0;
    // The current store is backed up first. A damaged store cannot be copied, only moved.
    const replaced = isIntact ? await backUpCurrentStore(admin, platform, project, { at: now, keep: config()['backup.keep'] }) : undefined;
    const { movedTo, log } = await admin.restore(file, now);
    const { recordRestore } = await import('./shared/record-restore.ts');
    const replacedEntries = await recordRestore({ platform, project, config: config(), admin, now }, log);
    return answer(
      {
        restored: backup,
        ...defined({ replacedEntries }),
        ...(replaced ? { replaced, undo: `cleo backup restore ${replaced}` } : {}),
        ...(movedTo
          ? { movedTo: relative(project.root, movedTo), undo: `mv ${quote(movedTo)} ${quote(`${project.folder}/cleo.db`)}` }
          : {}),
      },
      { warnings },
    );
  },
});

/** Checks that a backup is unchanged and can be read by this version. Returns warnings. */
async function checkBackup(admin: StoreAdmin, platform: Platform, project: Project, { id }: Backup, file: string): Promise<string[]> {
  const isUnchanged = platform.backups.isUnchanged(project, id);
  const createError = (problem: string): CleoError =>
    new CleoError('E_CHECKSUM_MISMATCH', { what: `backup ${id}`, problem, fix: 'cleo backup list' });
  if (isUnchanged === false) throw createError('has changed since it was created; nothing was restored');
  const { problems, schema } = await admin.inspect(file);
  if (problems[0] !== undefined) throw createError(`is damaged (${problems[0]}); nothing was restored`);
  if (schema !== undefined && schema > schemaVersion) throw new CleoError('E_STORE_NEWER', { found: schema, known: schemaVersion });
  return isUnchanged === undefined ? [`backup ${id} has no checksum; it was checked and is not damaged`] : [];
}

async function backUpCurrentStore(
  admin: StoreAdmin,
  { backups }: Platform,
  project: Project,
  options: { at: string; keep: number },
): Promise<string> {
  const store = await admin.open('read');
  try {
    return (await backups.create(project, { ...options, kind: 'replaced' }, (file) => store.backupTo(file))).backup.id;
  } finally {
    await store.close();
  }
}
