import { array, number, optional, picklist, strictObject, string } from 'valibot';
import { job } from '#core/define.ts';

export const BackupRow = strictObject({
  id: string(),
  createdAt: string(),
  kind: picklist(['manual', 'automatic', 'replaced']),
  size: number(),
});

export const adminBackupCreate = job({
  name: 'admin.backup.create',
  summary: 'Copy the store into .cleo/backups',
  params: strictObject({}),
  result: strictObject({ backup: BackupRow, removed: optional(array(string())) }),
  errors: ['E_FILE_ERROR', 'E_STORE_DAMAGED', 'E_DEPENDENCY_ERROR'],
  tier: 1,
  cli: { command: ['backup create', 'backup'] },
  example: { world: ['T001'], call: {} },
  async run({ platform, project, now, config, openStore }) {
    const store = await openStore('read');
    const how = { at: now, kind: 'manual' as const, keep: config()['backup.keep'] };
    const { backup, removed } = await platform.backups.create(project, how, (file) => store.backupTo(file));
    return { backup, ...(removed.length ? { removed } : {}) };
  },
});
