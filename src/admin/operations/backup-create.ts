import { array, number, optional, picklist, strictObject, string } from 'valibot';
import { job } from '#core/define.ts';
import { omitEmpty } from '#lib/collections.ts';
import { recordLocalFacts } from './shared/local-facts.ts';

export const BackupRow = strictObject({
  id: string(),
  createdAt: string(),
  kind: picklist(['manual', 'automatic', 'replaced']),
  size: number(),
});

export const adminBackupCreate = job({
  name: 'admin.backup.create',
  summary: 'Back up the store to .cleo/backups',
  params: strictObject({}),
  result: strictObject({ backup: BackupRow, removed: optional(array(string())) }),
  errors: ['E_FILE_ERROR', 'E_STORE_DAMAGED', 'E_DEPENDENCY_ERROR'],
  tier: 1,
  cli: { command: ['backup create', 'backup'] },
  example: { world: ['T001'], call: {} },
  async run({ platform, project, now, config, openStore }) {
    const store = await openStore('read');
    const options = { at: now, kind: 'manual' as const, keep: config()['backup.keep'] };
    const { backup, removed } = await platform.backups.create(project, options, (file) => store.backupTo(file));
    await store.read((reads) => recordLocalFacts(platform, project, reads));
    return { backup, ...omitEmpty({ removed }) };
  },
});
