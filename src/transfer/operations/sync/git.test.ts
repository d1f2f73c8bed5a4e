import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { asPerson, openApp } from '../../../../test/app.ts';
import { listPlan, openReplica, planFolder } from '../../../../test/plan-replicas.ts';
import { createRepository } from '../../../../test/repository.ts';

test('setup git needs a repository', async () => {
  const app = await openApp();
  expect(await app.call('admin.setup.git')).toMatchObject({ error: { exitCode: 8, fix: 'git init && cleo setup git' } });
});

test('setup git writes hooks, driver and attributes, and removes them', async () => {
  const app = await openApp({ tasks: ['T001', 'T002'] });
  const { git } = createRepository(app.root);
  const preview = await app.call('admin.setup.git', { dryRun: true });
  expect(preview).toMatchObject({ dryRun: true, publishes: { tasks: 2 } });
  expect(existsSync(join(app.root, '.git', 'hooks', 'pre-commit'))).toBe(false);
  expect((await app.call('admin.setup.git')).files).toEqual(preview.files);
  expect(statSync(join(app.root, '.git', 'hooks', 'post-merge')).mode & 0o111).toBe(0o111);
  expect(git('config', 'merge.cleo-plan.driver')).toContain('cleo sync --merge %O %A %B');
  expect(git('check-attr', 'merge', '.cleo/plan/tasks/x.json')).toContain('cleo-plan');
  expect(await app.call('admin.setup.git', { remove: true })).toMatchObject({ success: true });
  expect(existsSync(join(app.root, '.cleo', '.gitattributes'))).toBe(false);
  expect((await app.reply('admin.setup.git', { remove: true })).exitCode).toBe(102);
});

test('setup git lets the plan through .cleo/.gitignore, and names another rule that ignores it', async () => {
  const app = await openApp();
  const { git } = createRepository(app.root);
  writeFileSync(join(app.root, '.cleo', '.gitignore'), '*\n');
  await app.call('admin.setup.git');
  mkdirSync(join(planFolder(app), 'tasks'), { recursive: true });
  writeFileSync(join(planFolder(app), 'tasks', 'x.json'), '{}');
  expect(git('status', '--porcelain', '--untracked-files=all')).toContain('.cleo/plan/tasks/x.json');
  writeFileSync(join(app.root, '.gitignore'), '.cleo\n');
  expect((await app.call('admin.setup.git'))._meta.warnings).toEqual([expect.stringContaining('git check-ignore -v')]);
});

test('setup git creates a missing .cleo/.gitignore, so that no commit contains the database', async () => {
  const app = await openApp();
  const { git } = createRepository(app.root);
  rmSync(join(app.root, '.cleo', '.gitignore'), { force: true });
  expect((await app.call('admin.setup.git')).files).toContainEqual({ file: '.cleo/.gitignore', change: 'created' });
  expect(git('check-ignore', '.cleo/cleo.db')).toContain('.cleo/cleo.db');
  expect((await app.reply('admin.setup.git')).exitCode).toBe(101);
});

test('the pre-commit hook writes and stages the plan, and the next one does nothing', async () => {
  const app = await openReplica(1, { tasks: ['T001'] });
  const { git } = createRepository(app.root);
  expect(await app.call('sync.git-hook', { gitHook: 'pre-commit' })).toMatchObject({
    success: true,
    report: 'cleo: staged 2 plan files; if git commits nothing, run the same command again\n',
  });
  expect(git('diff', '--cached', '--name-only')).toContain('.cleo/plan/tasks/');
  const { entries } = await app.call('admin.log');
  await app.call('sync.git-hook', { gitHook: 'pre-commit' });
  await app.call('sync.git-hook', { gitHook: 'post-merge' });
  expect((await app.call('admin.log')).entries).toHaveLength(entries.length);
});

test('the pre-commit hook refuses a secret with file and field', async () => {
  const app = await openReplica(1, { tasks: ['T001'] });
  createRepository(app.root);
  await app.call('tasks.update', { taskId: 'T001', notes: `ghp_${'a1B2c3D4e5'.repeat(4).slice(0, 36)}` });
  expect(await app.call('sync.git-hook', { gitHook: 'pre-commit' })).toMatchObject({
    error: {
      code: 'E_VALIDATION_PLAN',
      exitCode: 6,
      message: expect.stringMatching(/\.cleo\/plan\/tasks\/\w+\.json: notes contains a secret/),
    },
  });
});

test('hooks do nothing if sync.mode is off, and sync says so', async () => {
  const app = await openApp({ tasks: ['T001'], config: { sync: { mode: 'off' } } });
  createRepository(app.root);
  await app.call('sync.git-hook', { gitHook: 'pre-commit' });
  expect(existsSync(planFolder(app))).toBe(false);
  expect(await app.call('sync.run', {}, asPerson)).toMatchObject({ error: { exitCode: 8, fix: 'cleo config set sync.mode manual' } });
});

test('with sync.mode auto, complete writes the plan files', async () => {
  const app = await openReplica(1, { tasks: ['T001', 'T002'], config: { sync: { mode: 'auto' } } });
  await app.call('tasks.complete', { taskId: 'T001' });
  expect(listPlan(app)).toHaveLength(3);
  expect(await app.call('sync.check')).toMatchObject({ success: true });
});

test('with sync.mode auto, plan files that cannot be written are a warning next to others', async () => {
  const app = await openApp({ tasks: ['T001', 'T002', 'session session-1 epic:T002 by bob'], config: { sync: { mode: 'auto' } } });
  writeFileSync(planFolder(app), '');
  const { success, _meta } = await app.call('tasks.complete', { taskId: 'T001' });
  expect([success, _meta.warnings]).toEqual([
    true,
    [expect.stringMatching(/^written outside any session/), expect.stringMatching(/^the plan files were not written: .*; fix: cleo /)],
  ]);
});

test('the merge driver merges two versions of a record', async () => {
  const app = await openReplica(1, { tasks: ['T001'] });
  await app.call('sync.run');
  const name = listPlan(app).find((each) => each.startsWith('tasks')) ?? '';
  const base = readFileSync(join(planFolder(app), name), 'utf8');
  await app.call('tasks.update', { taskId: 'T001', title: 'Renamed' });
  await app.call('sync.run');
  const ours = readFileSync(join(planFolder(app), name), 'utf8');
  for (const [file, text] of Object.entries({ base, ours, theirs: base })) writeFileSync(join(app.root, file), text);
  expect(await app.call('sync.merge', { merge: 'base', ours: 'theirs', theirs: 'ours' })).toMatchObject({ success: true });
  expect(readFileSync(join(app.root, 'theirs'), 'utf8')).toBe(ours);
  writeFileSync(join(app.root, 'theirs'), '{');
  expect(await app.call('sync.merge', { merge: 'base', ours: 'ours', theirs: 'theirs' })).toMatchObject({ error: { exitCode: 3 } });
  expect(await app.call('sync.merge', { merge: 'base', ours: '../ours', theirs: 'theirs' })).toMatchObject({ error: { exitCode: 3 } });
  expect(await app.call('sync.merge', { merge: 'ba\0se', ours: 'ours', theirs: 'theirs' })).toMatchObject({
    error: { code: 'E_VALIDATION_MERGE', exitCode: 6 },
  });
});
