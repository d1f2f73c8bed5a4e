import { array, strictObject } from 'valibot';
import { noData, query } from '#core/define.ts';
import { BackupRow } from './backup-create.ts';

export const adminBackupList = query({
  name: 'admin.backup.list',
  summary: 'List backups, newest first',
  params: strictObject({}),
  result: strictObject({ backups: array(BackupRow) }),
  errors: [],
  tier: 1,
  runsOn: 'server',
  needs: 'project',
  cli: { command: 'backup list' },
  example: { call: {}, exit: 100 },
  async run({ platform, project }) {
    const backups = platform.backups.list(project);
    return backups.length ? { backups } : noData({ backups });
  },
});
