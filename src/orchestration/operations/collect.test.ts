import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openApp, type TestApp } from '../../../test/app.ts';

const off = { lifecycleEnforcement: { mode: 'off' } };
const file = '.cleo/research/T002/build-it.md';
const complete = 'Implementation complete. See MANIFEST.jsonl for summary.';

async function openSpawned(): Promise<TestApp & { worker: Pick<TestApp, 'call'> }> {
  const app = await openApp({ tasks: ['T001 epic', 'T002 in T001: Build it'], config: off });
  const { spawn } = await app.call('orchestrate.spawn', { taskId: 'T002' });
  const worker = app.as(spawn.agentId);
  await worker.call('tasks.start', { taskId: 'T002' });
  return { ...app, worker };
}

const createEntry = (status: string, more: object = {}) => ({
  id: 'T002-build-it',
  file,
  title: 'It works',
  status,
  agentType: 'implementation',
  keyFindings: ['Works'],
  linkedTasks: ['T002'],
  ...more,
});

test('checks the result and returns only its summary', async () => {
  const { call, worker, root } = await openSpawned();
  writeFileSync(join(root, file), '# It works\n');
  await worker.call('research.add', createEntry('complete', { actionable: true }));
  // A validator leaves no manifest entry.
  await call('orchestrate.spawn', { taskId: 'T002', role: 'validator' });
  await worker.call('tasks.complete', { taskId: 'T002' });
  expect(await call('orchestrate.collect', { taskId: 'T002', message: complete })).toMatchObject({
    success: true,
    collected: {
      taskId: 'T002',
      status: 'complete',
      done: true,
      agentId: 'T002-worker-1',
      entryId: 'T002-build-it',
      title: 'It works',
      file,
      keyFindings: ['Works'],
      actionable: true,
    },
  });
});

test('accepts partial work and returns what is left', async () => {
  const { call, worker, root } = await openSpawned();
  writeFileSync(join(root, file), '# Half of it\n');
  await worker.call('research.add', createEntry('partial', { needsFollowup: ['The rest'] }));
  expect(
    await call('orchestrate.collect', { taskId: 'T002', message: 'Implementation partial. See MANIFEST.jsonl for details.' }),
  ).toMatchObject({
    collected: { status: 'partial', done: false, needsFollowup: ['The rest'] },
  });
});

test('finds an entry that was archived in the meantime', async () => {
  const { call, worker, root } = await openSpawned();
  writeFileSync(join(root, file), '# It works\n');
  await worker.call('research.add', createEntry('complete'));
  await worker.call('tasks.complete', { taskId: 'T002' });
  expect(await call('research.archive')).toMatchObject({ archived: ['T002-build-it'] });
  expect(await call('orchestrate.collect', { taskId: 'T002', message: complete })).toMatchObject({
    success: true,
    collected: { entryId: 'T002-build-it', status: 'complete', done: true },
  });
});

test('refuses a task that was never spawned', async () => {
  const { call, cli } = await openApp({ tasks: ['T001 epic', 'T002 in T001', 'T003 in T001 done'], config: off });
  const open = await call('orchestrate.collect', { taskId: 'T002' });
  expect(open).toMatchObject({ error: { code: 'E_PROTOCOL_MISSING', exitCode: 60 } });
  expect((await cli(open.error.fix)).envelope).toMatchObject({ spawn: { taskId: 'T002' } });
  const done = await call('orchestrate.collect', { taskId: 'T003' });
  expect(done).toMatchObject({ error: { exitCode: 60 } });
  expect((await cli(done.error.fix)).exitCode).toBe(0);
  expect(await call('orchestrate.collect', { taskId: 'T009' })).toMatchObject({ error: { exitCode: 4 } });
});

test('refuses a message in another form or with another status', async () => {
  const { call, cli, worker, root } = await openSpawned();
  writeFileSync(join(root, file), '# It works\n');
  await worker.call('research.add', createEntry('complete'));
  await worker.call('tasks.complete', { taskId: 'T002' });
  for (const message of [
    'Done! Here is the code: …',
    '',
    `${complete} And more.`,
    'Implementation partial. See MANIFEST.jsonl for details.',
  ]) {
    const refused = await call('orchestrate.collect', { taskId: 'T002', message });
    expect(refused).toMatchObject({ error: { code: 'E_INVALID_RETURN_MESSAGE', exitCode: 61 } });
    expect((await cli(refused.error.fix)).envelope).toMatchObject({ collected: { status: 'complete' } });
  }
});

test('refuses a task without a manifest entry', async () => {
  const { call, cli, worker, root } = await openSpawned();
  writeFileSync(join(root, file), '# It works\n');
  await worker.call('tasks.complete', { taskId: 'T002' });
  const refused = await call('orchestrate.collect', { taskId: 'T002', message: complete });
  expect(refused).toMatchObject({ error: { code: 'E_MANIFEST_ENTRY_MISSING', exitCode: 62 } });
  expect((await cli(refused.error.fix)).exitCode).toBe(0);
  expect(await call('orchestrate.collect', { taskId: 'T002', message: complete })).toMatchObject({ collected: { file } });
});

test('refuses an entry whose file is missing or empty', async () => {
  const { call, cli, worker, root } = await openSpawned();
  await worker.call('research.add', createEntry('complete'));
  await worker.call('tasks.complete', { taskId: 'T002' });
  const refused = await call('orchestrate.collect', { taskId: 'T002' });
  expect(refused).toMatchObject({ error: { code: 'E_VALIDATION_FILE', exitCode: 6 } });
  expect((await cli(refused.error.fix)).exitCode).toBe(0);
  writeFileSync(join(root, file), ' \n');
  expect(await call('orchestrate.collect', { taskId: 'T002' })).toMatchObject({ error: { code: 'E_VALIDATION_FILE' } });
});

test('refuses an entry that says complete while the task is open', async () => {
  const { call, cli, worker, root } = await openSpawned();
  writeFileSync(join(root, file), '# It works\n');
  await worker.call('research.add', createEntry('complete'));
  const refused = await call('orchestrate.collect', { taskId: 'T002', message: complete });
  expect(refused).toMatchObject({ error: { code: 'E_VALIDATION_STATUS', exitCode: 6 } });
  expect((await cli(refused.error.fix)).exitCode).toBe(0);
  expect(await call('orchestrate.collect', { taskId: 'T002', message: complete })).toMatchObject({ collected: { done: true } });
});

const seedTemplate = `# It works

**Task**: T002
**Epic**: T001
**Date**: 2026-03-01
**Status**: complete

---

## Summary
It works.

## Content
All of it.
`;

test.each(['[Implementation] complete. See MANIFEST.jsonl for summary.', complete])(
  'collect and validate protocol accept the plain output template and the message %s',
  async (message) => {
    const { call, worker, root } = await openSpawned();
    writeFileSync(join(root, file), seedTemplate);
    await worker.call('research.add', createEntry('complete', { date: '2026-03-01' }));
    await worker.call('tasks.complete', { taskId: 'T002' });
    expect(await call('orchestrate.collect', { taskId: 'T002', message })).toMatchObject({ success: true });
    const { findings, error } = await call('validate.protocol', { taskId: 'T002', message });
    expect(error).toBeUndefined();
    expect(findings.filter(({ result }: { result: string }) => result === 'fail')).toEqual([]);
    expect(findings).toContainEqual(expect.objectContaining({ rule: 'IMPL-001', result: 'warn' }));
  },
);
