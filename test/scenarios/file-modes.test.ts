import { chmodSync, lstatSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { expect, test } from 'vitest';
import type { TestFolder } from '../folder.ts';
import { createEmptyFolder } from '../folder.ts';

/** Lists the files and folders below `folder` that other users can access. */
const listOpen = (folder: string, top = folder): string[] => {
  const own = (lstatSync(folder).mode & 0o077) === 0 ? [] : [relative(top, folder) || '.'];
  const inner = lstatSync(folder).isDirectory() ? readdirSync(folder).flatMap((name) => listOpen(join(folder, name), top)) : [];
  return [...own, ...inner];
};

async function createProject(): Promise<TestFolder> {
  const folder = createEmptyFolder();
  await folder.call('admin.init');
  return folder;
}

test('everything that cleo writes is for its owner only', async () => {
  const folder = await createProject();
  await folder.call('tasks.add', { title: 'One', type: 'epic' });
  await folder.call('tasks.add', { title: 'Two', parent: 'T001' });
  if (process.env.CLEO_TEST_ENGINE !== 'postgres') expect((await folder.call('admin.backup.create')).success).toBe(true);
  await folder.call('nexus.init');
  await folder.call('orchestrate.spawn', { taskId: 'T002', toFile: true });
  expect(listOpen(join(folder.root, '.cleo'))).toEqual([]);
  expect(listOpen(join(folder.env.HOME ?? '', '.cleo'))).toEqual([]);
});

test('doctor reports files of an older version, and doctor --fix closes them', async () => {
  const folder = await createProject();
  const cleo = join(folder.root, '.cleo');
  const home = join(folder.env.HOME ?? '', '.cleo');
  mkdirSync(join(cleo, 'backups'), { recursive: true });
  writeFileSync(join(cleo, 'backups', '20260101T000000000Z-manual.db'), '');
  mkdirSync(join(cleo, 'skills', 'mine'), { recursive: true });
  writeFileSync(join(cleo, 'skills', 'mine', 'notes.md'), '');
  for (const path of [cleo, home]) chmodSync(path, 0o755);
  for (const path of ['config.json', 'backups/20260101T000000000Z-manual.db', 'skills/mine/notes.md']) chmodSync(join(cleo, path), 0o644);
  const open = ['backups', 'backups/20260101T000000000Z-manual.db'];

  const { findings } = await folder.call('admin.doctor');
  const messages = findings.filter(({ message }: { message: string }) => message.startsWith('other users can access'));
  expect(messages).toHaveLength(2);
  expect(messages[0]).toMatchObject({ check: 'files', severity: 'warning', fix: 'cleo doctor --fix' });

  const fixed = await folder.call('admin.doctor.fix');
  expect(JSON.stringify(fixed.repairs)).toContain('only you can access the folder');
  expect(fixed.findings.filter(({ check }: { check: string }) => check === 'files')).toEqual([]);
  for (const path of ['', ...open]) expect(statSync(join(cleo, path)).mode & 0o077).toBe(0);
  expect(statSync(home).mode & 0o077).toBe(0);
  // Files that people commit have the modes that git gives them.
  for (const path of ['config.json', 'skills/mine/notes.md']) expect(statSync(join(cleo, path)).mode & 0o777).toBe(0o644);
});
