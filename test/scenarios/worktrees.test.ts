import { symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { dispatch } from '../../src/dispatch/dispatch.ts';
import { createApp } from '../../src/main.ts';
import { createPlatform } from '../../src/platform/platform.ts';
import { type Json, openApp, type TestApp } from '../app.ts';
import { addWorktree, createRepository, type Repository } from '../repository.ts';
import { createTempFolder } from '../temp-folder.ts';
import { trustProject } from '../trust.ts';

/** Creates a project in a git repository with two linked worktrees, and calls from any of their folders. */
async function createWorktrees(config: Record<string, unknown> = {}) {
  const app = await openApp({ tasks: ['T001 evidence implemented', 'T002'], config });
  const main = createRepository(app.root);
  writeFileSync(join(app.root, '.gitignore'), '.cleo\nhome\n');
  main.commit({ '.gitignore': '.cleo\nhome\n', 'src/a.txt': 'first' });
  const elsewhere = createTempFolder();
  const one = addWorktree(main, join(elsewhere, 'one'), 'one');
  const two = addWorktree(main, join(elsewhere, 'two'), 'two');
  return { app, main, one, two, from: (folder: string, env = {}) => createCaller(app, folder, env) };
}

function createCaller(app: TestApp, folder: string, more: Record<string, string>): (operation: string, params: object) => Promise<Json> {
  const { CLEO_ROOT: _, ...env } = app.env;
  return async (operation, params) => {
    await trustProject(folder, env);
    const there = createApp(createPlatform({ ...env, ...more }, folder, '0.0.0-test'));
    const { envelope } = await dispatch(there, { operation, params: params as Record<string, unknown>, gateway: 'cli' });
    await there.closeStores();
    return envelope;
  };
}

const createEvidence = (evidence: string, gate = 'implemented') => ({ taskId: 'T001', gate, evidence });

test('a file counts only in the checkout of the caller', async () => {
  const { one, two, main, from } = await createWorktrees();
  writeFileSync(join(one.folder, 'src', 'new.txt'), 'made in one');
  expect(await from(two.folder)('verify.gate', createEvidence('files:src/new.txt'))).toMatchObject({ error: { exitCode: 41 } });
  expect(await from(main.folder)('verify.gate', createEvidence('files:src/new.txt'))).toMatchObject({ error: { exitCode: 41 } });
  expect(await from(one.folder)('verify.gate', createEvidence('files:src/new.txt'))).toMatchObject({ success: true });
});

test('neither a path nor a link reaches a file of another checkout', async () => {
  const { one, two, from } = await createWorktrees();
  writeFileSync(join(one.folder, 'new.txt'), 'made in one');
  symlinkSync(join(one.folder, 'new.txt'), join(two.folder, 'linked.txt'));
  symlinkSync(one.folder, join(two.folder, 'folder'));
  for (const path of [join(one.folder, 'new.txt'), '../one/new.txt', 'linked.txt', 'folder/new.txt'])
    expect(await from(two.folder)('verify.gate', createEvidence(`files:${path}`))).toMatchObject({ error: { exitCode: 41 } });
});

test('a commit counts only where it is checked out, although all share one repository', async () => {
  const { one, two, main, from } = await createWorktrees();
  const sha = one.commit({ 'src/a.txt': 'second' });
  for (const { folder } of [two, main] as Repository[])
    expect(await from(folder)('verify.gate', createEvidence(`commit:${sha}`))).toMatchObject({
      error: { exitCode: 41, message: expect.stringContaining('not part of the branch checked out') },
    });
  expect(await from(join(one.folder, 'src'))('verify.gate', createEvidence(`commit:${sha}`))).toMatchObject({ success: true });
});

test('git variables that select another repository have no effect', async () => {
  const { one, two, from } = await createWorktrees();
  const sha = one.commit({ 'src/a.txt': 'second' });
  const env = { GIT_DIR: one.git('rev-parse', '--absolute-git-dir'), GIT_WORK_TREE: one.folder };
  expect(await from(two.folder, env)('verify.gate', createEvidence(`commit:${sha}`))).toMatchObject({ error: { exitCode: 41 } });
});

test('a tool runs in the checkout of the caller', async () => {
  const code = 'process.exit(require("fs").readFileSync("src/a.txt", "utf8") === "second" ? 0 : 1)';
  const { one, two, from } = await createWorktrees({ verification: { tools: { check: [process.execPath, '-e', code] } } });
  one.commit({ 'src/a.txt': 'second' });
  await from(one.folder)('verify.gate', createEvidence('commit:HEAD'));
  const check = createEvidence('tool:check', 'testsPassed');
  expect(await from(two.folder)('verify.gate', check)).toMatchObject({ error: { exitCode: 41 } });
  expect(await from(join(one.folder, 'src'))('verify.gate', check)).toMatchObject({ success: true });
});

test('a test report counts only in its checkout', async () => {
  const code = 'require("fs").writeFileSync("report.json", JSON.stringify({ passed: 1, failed: 0 }))';
  const { one, two, from } = await createWorktrees({
    verification: { tools: { test: [process.execPath, '-e', code], idle: [process.execPath, '-e', ''] } },
  });
  one.commit({ 'src/a.txt': 'second' });
  await from(one.folder)('verify.gate', createEvidence('commit:HEAD'));
  const verify = (folder: string, evidence: string) => from(folder)('verify.gate', createEvidence(evidence, 'testsPassed'));
  expect(await verify(one.folder, 'tool:test; test-run:report.json')).toMatchObject({
    verification: { evidence: [{ kind: 'tool' }, { kind: 'test-run', passed: 1 }] },
  });
  expect(await verify(two.folder, 'tool:idle; test-run:report.json')).toMatchObject({
    error: { exitCode: 41, message: expect.stringContaining('no file "report.json"') },
  });
});

test('completion checks the files in the checkout of the caller', async () => {
  const { one, two, main, from } = await createWorktrees();
  one.commit({ 'src/a.txt': 'second' });
  await from(one.folder)('verify.gate', createEvidence('files:src/a.txt'));
  for (const { folder } of [two, main] as Repository[]) {
    expect(await from(folder)('tasks.complete', { taskId: 'T001' })).toMatchObject({ error: { code: 'E_EVIDENCE_STALE', exitCode: 45 } });
    expect(await from(folder)('validate.report', {})).toMatchObject({ report: { counts: { 'stale-evidence': 1 } } });
  }
  main.git('merge', '--quiet', 'one');
  expect(await from(main.folder)('validate.report', {})).toMatchObject({ report: { ok: true } });
  expect(await from(join(one.folder, 'src'))('tasks.complete', { taskId: 'T001' })).toMatchObject({ success: true });
});
