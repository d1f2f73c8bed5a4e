import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporary } from '../../test/temporary.ts';
import { backups } from './backups.ts';

const project = () => {
  const root = temporary();
  return { root, folder: join(root, '.cleo') };
};
const copying = (text: string) => async (file: string) => writeFileSync(file, text);

test('a backup gets its name only once it is whole and has its checksum', async () => {
  const ctx = project();
  const seen: string[][] = [];
  const { backup } = await backups.make(ctx, { at: '2026-01-02T03:04:05.678Z', kind: 'manual', keep: 10 }, async (file) => {
    writeFileSync(file, 'half');
    seen.push(backups.list(ctx).map(({ id }) => id));
    writeFileSync(file, 'whole');
  });
  expect(seen).toEqual([[]]);
  expect(backup).toEqual({ id: '20260102T030405678Z-manual', size: 5, createdAt: '2026-01-02T03:04:05.678Z', kind: 'manual' });
  expect(readFileSync(backups.pathOf(ctx, backup.id), 'utf8')).toBe('whole');
  expect(backups.isUnchanged(ctx, backup.id)).toBe(true);
  writeFileSync(backups.pathOf(ctx, backup.id), 'whale');
  expect(backups.isUnchanged(ctx, backup.id)).toBe(false);
});

test('one that fails leaves nothing', async () => {
  const ctx = project();
  await expect(
    backups.make(ctx, { at: '2026-01-02T03:04:05.678Z', kind: 'manual', keep: 10 }, async (file) => {
      writeFileSync(file, 'half');
      throw new Error('the disk is full');
    }),
  ).rejects.toThrow('the disk is full');
  expect(readdirSync(join(ctx.folder, 'backups'))).toEqual([]);
});

test('the automatic one of a day is made once, and its failure is silent', async () => {
  const ctx = project();
  await backups.daily(ctx, { at: '2026-01-02T03:00:00.000Z', keep: 10 }, async () => {
    throw new Error('the disk is full');
  });
  expect(backups.list(ctx)).toEqual([]);
  for (const at of ['2026-01-02T03:00:00.000Z', '2026-01-02T23:00:00.000Z', '2026-01-03T00:00:00.000Z'])
    await backups.daily(ctx, { at, keep: 10 }, copying(at));
  expect(backups.list(ctx).map(({ id }) => id)).toEqual(['20260103T000000000Z-automatic', '20260102T030000000Z-automatic']);
});

test('what else lies in the folder is not listed, and one without a checksum is not judged', () => {
  const ctx = project();
  mkdirSync(join(ctx.folder, 'backups'), { recursive: true });
  for (const name of ['notes.txt', '20260102T030405678Z-manual.db', '20260102T030405678Z-manual.db.tmp', '20260102T030405678Z-other.db'])
    writeFileSync(join(ctx.folder, 'backups', name), 'x');
  expect(backups.list(ctx).map(({ id }) => id)).toEqual(['20260102T030405678Z-manual']);
  expect(backups.isUnchanged(ctx, '20260102T030405678Z-manual')).toBeUndefined();
});
