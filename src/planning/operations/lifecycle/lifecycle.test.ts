import { expect, test } from 'vitest';
import { openApp, type TestApp } from '../../../../test/app.ts';
import { createRepository } from '../../../../test/repository.ts';

const epic = ['T001 epic', 'T002 in T001'];
const states = async ({ call }: TestApp): Promise<string> =>
  (await call('lifecycle.status', { epicId: 'T001' })).lifecycle.stages.map(({ status }: { status: string }) => status).join(' ');

test('an epic passes its stages in order', async () => {
  const app = await openApp({ tasks: epic });
  expect(await app.call('lifecycle.status', { epicId: 'T001' })).toMatchObject({
    lifecycle: { epicId: 'T001', mode: 'strict', current: 'research' },
  });
  expect(await app.call('lifecycle.start', { epicId: 'T001', stage: 'research' })).toMatchObject({
    stage: { stage: 'research', status: 'active', by: 'tester' },
    data: { updated: ['T001'] },
  });
  expect(await app.call('lifecycle.complete', { epicId: 'T001', stage: 'research' })).toMatchObject({ next: 'consensus' });
  expect(await states(app)).toBe('completed pending pending pending pending pending pending');
  expect((await app.cli('cleo lifecycle start T1 consensus')).exitCode).toBe(0);
  expect(await app.call('lifecycle.fail', { epicId: 'T001', stage: 'consensus', reason: 'No two agree' })).toMatchObject({
    stage: { status: 'failed', reason: 'No two agree' },
  });
  expect(await app.call('lifecycle.start', { epicId: 'T001', stage: 'consensus' })).toMatchObject({ stage: { status: 'active' } });
  expect(await app.call('lifecycle.reset', { epicId: 'T001', stage: 'consensus' })).toMatchObject({ stage: { status: 'pending' } });
});

test('strict fails with the missing stages, and each fix skips those without tasks', async () => {
  const app = await openApp({ tasks: [...epic, 'stage T001 consensus completed'] });
  const { error } = await app.call('lifecycle.start', { epicId: 'T001', stage: 'implementation' });
  expect(error).toMatchObject({
    code: 'E_LIFECYCLE_GATE_FAILED',
    exitCode: 80,
    details: { missing: ['research', 'specification', 'decomposition'], legacyExitCode: 75 },
  });
  expect(await app.call('lifecycle.check', { epicId: 'T001', stage: 'implementation' })).toMatchObject({ error: { exitCode: 80 } });
  expect((await app.cli(error.fix)).exitCode).toBe(0);
  expect(await states(app)).toBe('skipped completed skipped skipped pending pending pending');
  expect(await app.call('lifecycle.start', { epicId: 'T001', stage: 'implementation' })).toMatchObject({ success: true });
});

test('advisory warns, off does nothing', async () => {
  const advisory = await openApp({ tasks: epic, config: { lifecycleEnforcement: { mode: 'advisory' } } });
  for (const operation of ['lifecycle.check', 'lifecycle.start'])
    expect(await advisory.call(operation, { epicId: 'T001', stage: 'consensus' })).toMatchObject({
      success: true,
      _meta: { warnings: ['T001 enters consensus before research'] },
    });
  const off = await openApp({ tasks: epic, config: { lifecycleEnforcement: { mode: 'off' } } });
  const started = await off.call('lifecycle.start', { epicId: 'T001', stage: 'release' });
  expect(started.success).toBe(true);
  expect(started._meta).not.toHaveProperty('warnings');
  expect((await off.cli('cleo config set lifecycleEnforcement.mode strict')).exitCode).toBe(0);
  expect(await off.call('lifecycle.start', { epicId: 'T001', stage: 'contribution' })).toMatchObject({ error: { exitCode: 80 } });
});

test('skip needs a reason and leaves completed stages alone', async () => {
  const app = await openApp({ tasks: [...epic, 'stage T001 consensus completed'] });
  const { error } = await app.call('lifecycle.skip', { epicId: 'T001', stage: 'research', reason: ' ' });
  expect(error).toMatchObject({ code: 'E_AUDIT_MISSING', exitCode: 81 });
  expect((await app.cli(error.fix)).exitCode).toBe(0);
  expect(await app.call('lifecycle.skip', { epicId: 'T001', stage: 'consensus', reason: 'x' })).toMatchObject({
    error: { exitCode: 83 },
  });
  const skipped = await app.call('lifecycle.skip', { epicId: 'T001', stage: 'research', through: 'specification', reason: 'Small' });
  expect(skipped).toMatchObject({ stages: [{ stage: 'specification', status: 'skipped', by: 'tester', reason: 'Small' }] });
  expect(await app.call('lifecycle.skip', { epicId: 'T001', stage: 'research', through: 'specification', reason: 'x' })).toMatchObject({
    _meta: { exitCode: 102 },
  });
  const back = await app.call('lifecycle.skip', { epicId: 'T001', stage: 'release', through: 'decomposition', reason: 'x' });
  expect(back).toMatchObject({ error: { exitCode: 83, fix: 'cleo lifecycle skip T001 decomposition --through release --reason x' } });
  expect(await app.call('lifecycle.skip', { epicId: 'T001', stage: 'release', reason: 'x', dryRun: true })).toMatchObject({
    data: { dryRun: true, wouldUpdate: 1 },
  });
  expect(await states(app)).toBe('skipped completed skipped pending pending pending pending');
});

test.each([
  ['lifecycle.start', 'completed', 'cleo lifecycle reset T001 research'],
  ['lifecycle.start', 'skipped', 'cleo lifecycle reset T001 research'],
  ['lifecycle.complete', 'pending', 'cleo lifecycle start T001 research'],
  ['lifecycle.complete', 'skipped', 'cleo lifecycle reset T001 research'],
  ['lifecycle.fail', 'pending', 'cleo lifecycle start T001 research'],
  ['lifecycle.fail', 'completed', 'cleo lifecycle reset T001 research'],
])('%s of a stage that is %s fails with 83, and the fix works', async (operation, status, fix) => {
  const app = await openApp({ tasks: [...epic, `stage T001 research ${status}`] });
  const { error } = await app.call(operation, { epicId: 'T001', stage: 'research' });
  expect(error).toMatchObject({ code: 'E_LIFECYCLE_TRANSITION_INVALID', exitCode: 83, fix });
  expect((await app.cli(fix)).exitCode).toBe(0);
});

test.each([
  ['lifecycle.start', 'active'],
  ['lifecycle.complete', 'completed'],
  ['lifecycle.fail', 'failed'],
  ['lifecycle.reset', 'pending'],
])('%s of a stage that is %s changes nothing', async (operation, status) => {
  const app = await openApp({ tasks: [...epic, `stage T001 research ${status}`] });
  expect(await app.call(operation, { epicId: 'T001', stage: 'research' })).toMatchObject({ success: true, _meta: { exitCode: 102 } });
});

test('skipping a single stage again changes nothing and keeps the first reason', async () => {
  const { call } = await openApp({ tasks: epic });
  await call('lifecycle.skip', { epicId: 'T001', stage: 'research', reason: 'Small' });
  expect(await call('lifecycle.skip', { epicId: 'T001', stage: 'research', reason: 'Other' })).toMatchObject({
    _meta: { exitCode: 102 },
    stages: [{ stage: 'research', status: 'skipped', reason: 'Small' }],
  });
});

const before = ['research', 'consensus', 'specification', 'decomposition', 'implementation', 'contribution'];
const releasing = [...epic, ...before.map((stage) => `stage T001 ${stage} completed`), 'stage T001 release active'];

test('completing release needs a provenance that git knows', async () => {
  const app = await openApp({ tasks: releasing });
  const missing = await app.call('lifecycle.complete', { epicId: 'T001', stage: 'release' });
  expect(missing).toMatchObject({ error: { code: 'E_PROVENANCE_REQUIRED', exitCode: 84 } });
  expect((await app.cli(missing.error.fix)).exitCode).toBe(0);
  const repo = createRepository(app.root);
  const sha = repo.commit({ 'a.txt': 'a' });
  // A commit or a branch is not a tag.
  for (const provenance of ['v1.0.0', 'tag:v1.0.0', `tag:${sha}`, 'tag:HEAD', `commit:${'0'.repeat(40)}`, 'artifact:abc'])
    expect(await app.call('lifecycle.complete', { epicId: 'T001', stage: 'release', provenance })).toMatchObject({
      error: { exitCode: 84 },
    });
  const { error } = await app.call('lifecycle.complete', { epicId: 'T001', stage: 'release' });
  expect(error.fix).toBe(`cleo lifecycle complete T001 release --provenance commit:${sha}`);
  expect(await app.cli(error.fix)).toMatchObject({ exitCode: 0, envelope: { stage: { provenance: `commit:${sha}` } } });
});

test('only epics have stages; the fix for a task uses its epic', async () => {
  const app = await openApp({ tasks: [...epic, 'T003'] });
  const { error } = await app.call('lifecycle.start', { epicId: 'T002', stage: 'research' });
  expect(error).toMatchObject({ code: 'E_VALIDATION_EPIC_ID', exitCode: 6, fix: 'cleo lifecycle start T001 research' });
  expect((await app.cli(error.fix)).exitCode).toBe(0);
  expect(await app.call('lifecycle.status', { epicId: 'T003' })).toMatchObject({ error: { fix: 'cleo list --type epic' } });
  expect(await app.call('lifecycle.status', { epicId: 'T009' })).toMatchObject({ error: { exitCode: 4 } });
});

const pipeline = ['T001 epic', 'T002 in T001: Investigate slow starts', 'T003 in T001: Implement the cache'];

test('a spawned and completed task is noticed: its stage starts, is offered and is never skipped as not needed', async () => {
  const app = await openApp({ tasks: pipeline });
  await app.call('orchestrate.spawn', { taskId: 'T002' });
  expect(await states(app)).toBe('active pending pending pending pending pending pending');
  const worker = app.as('T002-worker-1');
  await worker.call('tasks.start', { taskId: 'T002' });
  const early = await app.call('orchestrate.spawn', { taskId: 'T003' });
  expect(early.error).toMatchObject({ exitCode: 80, fix: 'cleo show T002' });
  const done = await worker.call('tasks.complete', { taskId: 'T002' });
  expect(done.stageReady).toMatchObject({ epicId: 'T001', stage: 'research' });
  const { error } = await app.call('orchestrate.spawn', { taskId: 'T003' });
  expect(error).toMatchObject({ exitCode: 80, fix: 'cleo lifecycle complete T001 research' });
  expect(error.message).toContain('the tasks of research are done');
  expect((await app.cli(done.stageReady.command)).exitCode).toBe(0);
  const next = await app.call('orchestrate.spawn', { taskId: 'T003' });
  expect((await app.cli(next.error.fix)).exitCode).toBe(0);
  expect(await states(app)).toBe('completed skipped skipped skipped pending pending pending');
  expect(await app.call('orchestrate.spawn', { taskId: 'T003' })).toMatchObject({ success: true });
  expect(await states(app)).toBe('completed skipped skipped skipped active pending pending');
});

test('the fix of a gate names the open task of the missing stage, and follows from there', async () => {
  const app = await openApp({ tasks: pipeline });
  const { error } = await app.call('orchestrate.spawn', { taskId: 'T003' });
  expect(error).toMatchObject({ fix: 'cleo orchestrate spawn T002', message: expect.stringContaining('T002 belongs to research') });
  expect(error.alternatives).toMatchObject([
    { command: 'cleo lifecycle start T001 research' },
    { command: "cleo lifecycle skip T001 research --through research --reason 'Skipped while T002 is open'" },
  ]);
  expect((await app.cli(error.fix)).exitCode).toBe(0);
});

test('work without a spawn counts too: a stage that was never started is completed', async () => {
  const app = await openApp({ tasks: ['T001 epic', 'T002 in T001 done: Investigate slow starts', 'T003 in T001: Implement the cache'] });
  const { error } = await app.call('lifecycle.check', { epicId: 'T001', stage: 'consensus' });
  expect(error.fix).toBe('cleo lifecycle complete T001 research');
  expect((await app.cli(error.fix)).exitCode).toBe(0);
  const skipped = await app.call('lifecycle.skip', { epicId: 'T001', stage: 'implementation' });
  expect(skipped.error.fix).toBe("cleo lifecycle skip T001 implementation --reason 'Skipped while T003 is open'");
});

test('complete offers an active stage only with its last task, and not where stages are off', async () => {
  const tasks = [...pipeline, 'T004 in T001: Explore caches', 'stage T001 research active'];
  const app = await openApp({ tasks });
  expect(await app.call('tasks.complete', { taskId: 'T003' })).not.toHaveProperty('stageReady');
  expect(await app.call('tasks.complete', { taskId: 'T002' })).not.toHaveProperty('stageReady');
  expect(await app.call('tasks.complete', { taskId: 'T004' })).toMatchObject({ stageReady: { stage: 'research' } });
  const several = await openApp({ tasks });
  expect((await several.call('tasks.complete', { taskIds: ['T002', 'T003', 'T004'] })).stagesReady).toEqual([
    { epicId: 'T001', stage: 'research', command: 'cleo lifecycle complete T001 research' },
  ]);
  const off = await openApp({ tasks: [...pipeline, 'stage T001 research active'], config: { lifecycleEnforcement: { mode: 'off' } } });
  expect(await off.call('tasks.complete', { taskId: 'T002' })).not.toHaveProperty('stageReady');
});

test('every change of a stage checks the scope of the session first', async () => {
  const app = await openApp({ tasks: ['T001 epic', 'T002 in T001', 'T003 epic', 'T004 in T003'] });
  expect(await app.call('session.start', { scope: 'epic:T003', autoFocus: true })).toMatchObject({ success: true });
  for (const operation of ['start', 'complete', 'skip', 'fail', 'reset'])
    expect(await app.call(`lifecycle.${operation}`, { epicId: 'T001', stage: 'release' }), operation).toMatchObject({
      error: { code: 'E_TASK_NOT_IN_SCOPE' },
    });
});
