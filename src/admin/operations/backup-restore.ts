import { relative } from 'node:path';
import { description, metadata, optional, pipe, strictObject, string } from 'valibot';
import { answer, job } from '#core/define.ts';
import { CleoError } from '#core/errors/error.ts';
import { quote } from '#core/errors/quote.ts';
import type { Backup, Platform, Project } from '#platform/port.ts';
import type { StoreAdmin } from '#store/port/store.ts';
import { schemaVersion } from '#store/schema-version.ts';
import { BackupRow } from './backup-create.ts';

export const adminBackupRestore = job({
  name: 'admin.backup.restore',
  summary: 'Put a backup in the place of the store; what was there is kept',
  params: strictObject({ id: pipe(string(), description('Which, as backup list names it'), metadata({ value: 'ID' })) }),
  result: strictObject({ restored: BackupRow, replaced: optional(string()), movedTo: optional(string()), undo: optional(string()) }),
  errors: ['E_BACKUP_NOT_FOUND', 'E_CHECKSUM_MISMATCH', 'E_STORE_NEWER', 'E_FILE_ERROR', 'E_LOCK_TIMEOUT', 'E_DEPENDENCY_ERROR'],
  tier: 1,
  needs: 'project',
  scope: 'admin',
  cli: { command: 'backup restore', args: ['id'] },
  example: { call: { id: '20260101T000000000Z-manual' }, exit: 4 },
  async run({ platform, project, now, config, storeAdmin }, { id }) {
    const keeper = await storeAdmin(project);
    const found = platform.backups.list(project).find((backup) => backup.id === id.replace(/\.db$/, ''));
    if (!found) throw new CleoError('E_BACKUP_NOT_FOUND', { id: id.slice(0, 100) });
    const file = platform.backups.getPath(project, found.id);
    const warnings = await checkSound(keeper, platform, project, found, file);
    const isSound = (await keeper.inspect()).problems.length === 0;
    // What it takes the place of is kept first; a damaged one cannot be copied, only moved.
    const replaced = isSound ? await keepPresent(keeper, platform, project, { at: now, keep: config()['backup.keep'] }) : undefined;
    const { movedTo } = await keeper.restore(file, now);
    return answer(
      {
        restored: found,
        ...(replaced ? { replaced, undo: `cleo backup restore ${replaced}` } : {}),
        ...(movedTo
          ? { movedTo: relative(project.root, movedTo), undo: `mv ${quote(movedTo)} ${quote(`${project.folder}/cleo.db`)}` }
          : {}),
      },
      { warnings },
    );
  },
});

/** It is what it was when it was made, and a store that this build can read. */
async function checkSound(keeper: StoreAdmin, platform: Platform, project: Project, { id }: Backup, file: string): Promise<string[]> {
  const isUnchanged = platform.backups.isUnchanged(project, id);
  const changed = (problem: string): CleoError =>
    new CleoError('E_CHECKSUM_MISMATCH', { what: `backup ${id}`, problem, fix: 'cleo backup list' });
  if (isUnchanged === false) throw changed('is not what it was when it was made; nothing was changed');
  const { problems, schema } = await keeper.inspect(file);
  if (problems[0] !== undefined) throw changed(`is damaged (${problems[0]}); nothing was changed`);
  if (schema !== undefined && schema > schemaVersion) throw new CleoError('E_STORE_NEWER', { found: schema, known: schemaVersion });
  return isUnchanged === undefined ? [`backup ${id} has no checksum; it was looked through and is sound`] : [];
}

async function keepPresent(
  keeper: StoreAdmin,
  { backups }: Platform,
  project: Project,
  how: { at: string; keep: number },
): Promise<string> {
  const store = await keeper.open('read');
  try {
    return (await backups.create(project, { ...how, kind: 'replaced' }, (file) => store.backupTo(file))).backup.id;
  } finally {
    await store.close();
  }
}
