import { readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { asPerson, openApp, type TestApp } from '../../../test/app.ts';
import { createEmptyFolder } from '../../../test/folder.ts';

type Project = Pick<TestApp, 'root' | 'call'>;

/** Adds a backup to the project and, after it, a task with a key and log entries. */
async function fill<P extends Project>(project: P, isSigned: boolean): Promise<{ project: P; backup: string; entries: number }> {
  await project.call('tasks.add', { title: 'Before' });
  const { backup } = await project.call('admin.backup.create');
  await project.call('tasks.add', { title: 'After' }, { idempotencyKey: 'once' });
  await project.call('tasks.complete', { taskId: 'T001' });
  if (isSigned) await project.call('admin.audit.sign');
  const { chain } = await project.call('admin.audit.verify');
  return { project, backup: backup.id, entries: chain.entries };
}

const openFilled = async (isSigned: boolean) => fill(await openApp({ engine: 'sqlite' }), isSigned);

const listTitles = async ({ call }: Project): Promise<string[]> =>
  (await call('tasks.list')).tasks.map(({ title }: { title: string }) => title);

test.each([true, false])('keeps the log of the present store, and signs the replaced part if there is a key: %s', async (isSigned) => {
  const { project: folder, backup, entries } = await openFilled(isSigned);
  const before = (await folder.call('admin.log', { limit: 50 })).entries;
  const restored = await folder.call('admin.backup.restore', { id: backup }, asPerson);
  expect(restored.replacedEntries).toMatchObject({ to: entries, isSigned });
  expect(await listTitles(folder)).toEqual(['Before']);
  const { entries: after } = await folder.call('admin.log', { limit: 50 });
  expect(after.slice(-before.length)).toEqual(before);
  expect((await folder.call('admin.audit.verify')).chain).toMatchObject({
    entries: after.length,
    level: isSigned ? 'signed' : 'unsigned',
    ...(isSigned ? { signed: { entries } } : {}),
  });
  // A number that was assigned is not assigned again, and the call with the key has no second effect.
  const repeated = await folder.call('tasks.add', { title: 'After' }, { idempotencyKey: 'once' });
  expect(repeated).toMatchObject({ task: { id: 'T002' }, _meta: { replayed: true } });
  expect((await folder.call('tasks.add', { title: 'Next' })).task.id).toBe('T003');
});

test('keeps the log of the backup if it continues the present one, as after a deleted log', async () => {
  const { project: folder, backup } = await openFilled(false);
  await folder.tamper('delete from audit_log; delete from audit_head');
  expect((await folder.call('admin.audit.verify')).error).toMatchObject({ exitCode: 20 });
  await folder.call('admin.backup.restore', { id: backup }, asPerson);
  expect((await folder.call('admin.log')).entries.map(({ operation }: { operation: string }) => operation)).toContain('tasks.add');
});

test('a log that was lost with a damaged store is a signed segment', async () => {
  const folder = createEmptyFolder();
  await folder.call('admin.init');
  const { backup, entries } = await fill(folder, true);
  for (const end of ['-wal', '-shm']) rmSync(join(folder.root, '.cleo', `cleo.db${end}`), { force: true });
  truncateSync(join(folder.root, '.cleo', 'cleo.db'), 100);
  await folder.call('admin.backup.restore', { id: backup }, asPerson);
  const { chain, _meta } = await folder.call('admin.audit.verify');
  expect(chain.entries).toBeLessThan(entries);
  expect(_meta.warnings).toEqual([expect.stringMatching(/entries \d+ to \d+ were lost with a damaged store/)]);
  // Without the segment the earlier head reports the missing entries.
  const path = join(folder.root, '.cleo', 'audit-heads.jsonl');
  writeFileSync(path, readFileSync(path, 'utf8').split('\n').slice(0, 1).join('\n'));
  expect((await folder.call('admin.audit.verify')).error).toMatchObject({ exitCode: 20 });
});

test('a token that was created and revoked after the backup keeps its name', async () => {
  const { project: folder, backup } = await openFilled(false);
  await folder.call('admin.token.create', { name: 'gone', scope: 'query' }, asPerson);
  await folder.call('admin.token.revoke', { name: 'gone' }, asPerson);
  await folder.call('admin.backup.restore', { id: backup }, asPerson);
  expect((await folder.call('admin.token.list', {}, asPerson)).tokens).toEqual([
    expect.objectContaining({ name: 'gone', revokedAt: expect.any(String) }),
  ]);
});

test('undo takes back nothing from before the restore', async () => {
  const { project: folder, backup } = await openFilled(false);
  await folder.call('admin.backup.restore', { id: backup }, asPerson);
  const { error } = await folder.call('admin.undo');
  expect(error).toMatchObject({
    code: 'E_UNDO_BLOCKED',
    exitCode: 21,
    message: expect.stringContaining('a backup was restored after that'),
  });
  expect(await listTitles(folder)).toEqual(['Before']);
  await folder.call('tasks.update', { taskId: 'T001', title: 'Changed' });
  expect(await folder.call('admin.undo')).toMatchObject({ success: true, undone: { operation: 'tasks.update' } });
  expect(await listTitles(folder)).toEqual(['Before']);
  expect((await folder.call('admin.undo')).error).toMatchObject({ code: 'E_UNDO_BLOCKED' });
});
