import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createTempFolder } from '../../../test/temp-folder.ts';
import { backups } from './backups.ts';

const createProject = () => {
  const root = createTempFolder();
  return { root, folder: join(root, '.cleo') };
};
const copyText = (text: string) => async (file: string) => writeFileSync(file, text);

test('a backup gets its name only when it is complete and has a checksum', async () => {
  const project = createProject();
  const seen: string[][] = [];
  const { backup } = await backups.create(project, { at: '2026-01-02T03:04:05.678Z', kind: 'manual', keep: 10 }, async (file) => {
    writeFileSync(file, 'half');
    seen.push(backups.list(project).map(({ id }) => id));
    writeFileSync(file, 'whole');
  });
  expect(seen).toEqual([[]]);
  expect(backup).toEqual({ id: '20260102T030405678Z-manual', size: 5, createdAt: '2026-01-02T03:04:05.678Z', kind: 'manual' });
  expect(readFileSync(backups.getPath(project, backup.id), 'utf8')).toBe('whole');
  expect(backups.isUnchanged(project, backup.id)).toBe(true);
  writeFileSync(backups.getPath(project, backup.id), 'whale');
  expect(backups.isUnchanged(project, backup.id)).toBe(false);
});

test('a failed backup leaves no files', async () => {
  const project = createProject();
  await expect(
    backups.create(project, { at: '2026-01-02T03:04:05.678Z', kind: 'manual', keep: 10 }, async (file) => {
      writeFileSync(file, 'half');
      throw new Error('the disk is full');
    }),
  ).rejects.toThrow('the disk is full');
  expect(readdirSync(join(project.folder, 'backups'))).toEqual([]);
});

test('creates one automatic backup a day and ignores failures', async () => {
  const project = createProject();
  await backups.createDaily(project, { at: '2026-01-02T03:00:00.000Z', keep: 10 }, async () => {
    throw new Error('the disk is full');
  });
  expect(backups.list(project)).toEqual([]);
  for (const at of ['2026-01-02T03:00:00.000Z', '2026-01-02T23:00:00.000Z', '2026-01-03T00:00:00.000Z'])
    await backups.createDaily(project, { at, keep: 10 }, copyText(at));
  expect(backups.list(project).map(({ id }) => id)).toEqual(['20260103T000000000Z-automatic', '20260102T030000000Z-automatic']);
});

test('ignores other files in the folder and returns undefined without a checksum', () => {
  const project = createProject();
  mkdirSync(join(project.folder, 'backups'), { recursive: true });
  for (const name of ['notes.txt', '20260102T030405678Z-manual.db', '20260102T030405678Z-manual.db.tmp', '20260102T030405678Z-other.db'])
    writeFileSync(join(project.folder, 'backups', name), 'x');
  expect(backups.list(project).map(({ id }) => id)).toEqual(['20260102T030405678Z-manual']);
  expect(backups.isUnchanged(project, '20260102T030405678Z-manual')).toBeUndefined();
});
