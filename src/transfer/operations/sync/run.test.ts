import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { exportPlan, listPlan, mergeFiles, openReplica, planFolder } from '../../../../test/plan-replicas.ts';

const readTask = (folder: string, uid: string): string => readFileSync(join(folder, 'tasks', `${uid}.json`), 'utf8');

test('writes one file per task, and nothing the second time', async () => {
  const app = await openReplica(1, { tasks: ['T001 epic', 'T002 in T001', 'T003 depends T002'] });
  const first = await app.call('sync.run');
  expect(first).toMatchObject({ success: true, sync: { read: 0, written: 4 } });
  expect(listPlan(app).map((name) => name.split('/')[0])).toEqual(['replicas', 'tasks', 'tasks', 'tasks']);
  expect((await app.reply('sync.run')).exitCode).toBe(102);
});

test('writes only the files of changed tasks, and a dry run writes none', async () => {
  const app = await openReplica(1, { tasks: ['T001', 'T002', 'T003'] });
  await app.call('sync.run');
  await app.call('tasks.update', { taskId: 'T002', title: 'Renamed' });
  const { uid } = (await app.call('tasks.show', { taskId: 'T002' })).task;
  const before = readTask(planFolder(app), uid);
  expect(await app.call('sync.run', { dryRun: true })).toMatchObject({ sync: { written: 2 }, data: { dryRun: true } });
  expect(readTask(planFolder(app), uid)).toBe(before);
  const { files } = await app.call('sync.run');
  expect(files).toEqual([`.cleo/plan/tasks/${uid}.json`, `.cleo/plan/replicas/${'1'.repeat(16)}.json`]);
  const [old, now] = [before, readTask(planFolder(app), uid)].map((text) => text.split('\n'));
  expect(now!.filter((line) => !old!.includes(line))).toHaveLength(1);
});

test('both clones have the same tasks after their files were merged', async () => {
  const a = await openReplica(1, { tasks: ['T001 epic', 'T002 in T001', 'T003 in T001 depends T002', 'T004'] });
  await a.call('sync.run');
  const b = await openReplica(2);
  mergeFiles(a, b);
  expect(await b.call('sync.run')).toMatchObject({ sync: { read: 4 } });
  expect(await exportPlan(b)).toEqual(await exportPlan(a));
  await a.call('tasks.add', { title: 'Added in a', labels: ['one'] });
  await a.call('tasks.delete', { taskId: 'T004' });
  await a.call('tasks.update', { taskId: 'T002', description: 'From a', notes: 'A note of a' });
  await b.call('tasks.add', { title: 'Added in b', depends: ['T001'] });
  await b.call('tasks.update', { taskId: 'T002', description: 'From b', addDepends: ['T004'], notes: 'A note of b' });
  await b.call('tasks.relates.add', { from: 'T003', to: 'T004', type: 'related', reason: 'same code' });
  for (const app of [a, b]) await app.call('sync.run');
  mergeFiles(a, b);
  const report = await b.call('sync.run');
  mergeFiles(b, a);
  await a.call('sync.run');
  expect(await exportPlan(b)).toEqual(await exportPlan(a));
  expect(report.sync.issues.map(({ kind }: { kind: string }) => kind)).toEqual(
    expect.arrayContaining(['renumbered', 'concurrent-text', 'missing-target']),
  );
  expect(report.sync.issues.find(({ kind }: { kind: string }) => kind === 'renumbered').problem).toMatch(
    /^T005 of (?:this clone|replica 1{16}) is now T006 \(Added in [ab]\); T005 belongs to an older record$/,
  );
  await b.call('tasks.update', { taskId: 'T002', labels: ['later'] });
  expect((await b.call('sync.run')).sync.issues).toBeUndefined();
  mergeFiles(b, a);
  await a.call('sync.run');
  const { task } = await a.call('tasks.show', { taskId: 'T002' });
  const texts = task.notes.map(({ text }: { text: string }) => text).join('\n');
  for (const text of ['A note of a', 'A note of b', task.description === 'From a' ? 'From b' : 'From a']) expect(texts).toContain(text);
  expect((await a.call('tasks.list')).tasks.map(({ title }: { title: string }) => title)).toEqual(
    expect.arrayContaining(['Added in a', 'Added in b']),
  );
  for (const app of [a, b]) expect(await app.call('sync.check')).toMatchObject({ success: true, check: { problems: [] } });
});

test('a number that two clones gave belongs to the older task, and show names the other one', async () => {
  const a = await openReplica(1, { tasks: ['T001'] });
  await a.call('sync.run');
  const b = await openReplica(2);
  mergeFiles(a, b);
  await b.call('sync.run');
  const older = await a.call('tasks.add', { title: 'Older' });
  expect(older.task.id).toBe('T002');
  await new Promise((resolve) => setTimeout(resolve, 5));
  await b.call('tasks.add', { title: 'Newer' });
  await b.call('tasks.add', { title: 'Depends on the newer one', depends: ['T002'] });
  await b.call('tasks.start', { taskId: 'T002' });
  await a.call('sync.run');
  mergeFiles(a, b);
  expect(await b.call('sync.run')).toMatchObject({ success: true });
  expect((await b.call('tasks.show', { taskId: 'T002' })).task.title).toBe('Older');
  expect((await b.call('tasks.show', { taskId: 'T004' })).task).toMatchObject({
    title: 'Newer',
    status: 'active',
    aliases: [{ tool: 'cleo', id: `T002@${'2'.repeat(16)}` }],
  });
  expect((await b.call('tasks.show', { taskId: 'T003' })).task.depends).toEqual(['T004']);
  expect((await b.call('tasks.current')).task.id).toBe('T004');
  expect((await b.call('tasks.show', { taskId: 'T002' }))._meta.warnings).toEqual([expect.stringContaining('T004')]);
  expect((await b.call('tasks.add', { title: 'Next' })).task.id).toBe('T005');
});

test('an active task of another clone is not recommended, and can be taken over', async () => {
  const a = await openReplica(1, { tasks: ['T001'] });
  await a.call('tasks.start', { taskId: 'T001' });
  await a.call('sync.run');
  const b = await openReplica(2);
  mergeFiles(a, b);
  await b.call('sync.run');
  expect((await b.reply('tasks.next')).exitCode).toBe(100);
  expect(await b.call('tasks.show', { taskId: 'T001' })).toMatchObject({ claim: { agent: `tester@${'1'.repeat(16)}` } });
  const { error } = await b.call('tasks.start', { taskId: 'T001' });
  expect(error).toMatchObject({
    exitCode: 35,
    alternatives: expect.arrayContaining([
      { action: expect.stringContaining('Take T001 over'), command: expect.stringContaining('cleo start T001 --take-over') },
    ]),
  });
  const takeOver = { taskId: 'T001', takeOver: true, reason: 'its laptop is closed' };
  expect(await b.call('tasks.start', takeOver)).toMatchObject({ success: true, task: { status: 'active' } });
});

test('a claim of another clone has the time at which the same agent took the task again', async () => {
  const clock = { now: '2026-01-01T10:00:00.000Z' };
  const a = await openReplica(1, { tasks: ['T001'], clock });
  const b = await openReplica(2);
  for (const hour of [10, 11]) {
    clock.now = `2026-01-01T${hour}:00:00.000Z`;
    await a.call('tasks.start', { taskId: 'T001' });
    await a.call('sync.run');
    mergeFiles(a, b);
    await b.call('sync.run');
    expect(await b.store.read(({ claims }) => claims.get('T001'))).toMatchObject({ claimedAt: clock.now });
    await a.call('tasks.stop');
  }
});

test.each([
  ['one', [1, 2]],
  ['other', [2, 1]],
])('of two ticks of one criterion the later one counts, whichever clone synced first: the %s', async (_, [first, second]) => {
  const clock = { now: '2026-01-01T10:00:00.000Z' };
  const early = await openReplica(first!, { tasks: ['T001'], clock });
  await early.call('tasks.update', { taskId: 'T001', acceptance: ['It works'] });
  await early.call('sync.run');
  const late = await openReplica(second!, { clock });
  mergeFiles(early, late);
  await late.call('sync.run');
  for (const [app, hour] of [
    [early, 11],
    [late, 12],
  ] as const) {
    clock.now = `2026-01-01T${hour}:00:00.000Z`;
    await app.call('tasks.criteria.check', { taskId: 'T001', n: 1 });
  }
  clock.now = '2026-01-01T13:00:00.000Z';
  await late.call('sync.run');
  clock.now = '2026-01-01T14:00:00.000Z';
  await early.call('sync.run');
  mergeFiles(late, early);
  await early.call('sync.run');
  const task = await early.store.read(({ tasks }) => tasks.get('T001'));
  expect(task?.acceptance).toMatchObject([{ metAt: '2026-01-01T12:00:00.000Z' }]);
});

test('reports a broken file with its line, and a file with conflict markers until it is resolved', async () => {
  const app = await openReplica(1, { tasks: ['T001', 'T002'] });
  await app.call('sync.run');
  const names = listPlan(app).filter((name) => name.startsWith('tasks'));
  const [one = '', other = ''] = names.map((name) => join(planFolder(app), name));
  const text = readFileSync(other, 'utf8');
  writeFileSync(one, '{\n  "version": "1.0",\n  broken\n}\n');
  const title = text.split('\n').find((line) => line.includes('"value"')) ?? '';
  writeFileSync(other, text.replace(title, `<<<<<<< HEAD\n${title}\n=======\n${title}\n>>>>>>> theirs`));
  const report = await app.call('sync.run');
  expect(report.sync.problems).toEqual([
    expect.objectContaining({ file: `.cleo/plan/${names[0]}`, line: 3 }),
    expect.objectContaining({ file: `.cleo/plan/${names[1]}`, problem: expect.stringContaining('sync --resolve') }),
  ]);
  const check = await app.reply('sync.check');
  expect(check).toMatchObject({ exitCode: 1, envelope: { error: { code: 'E_PLAN_OUT_OF_STEP', fix: 'cleo sync --resolve' } } });
  expect(await app.call('sync.resolve')).toMatchObject({ resolved: [`.cleo/plan/${names[1]}`] });
  expect(readFileSync(other, 'utf8')).toBe(text);
  rmSync(one);
  await app.call('sync.run');
  expect(await app.call('sync.check')).toMatchObject({ success: true });
});

test('refuses files of a newer version', async () => {
  const app = await openReplica(1, { tasks: ['T001'] });
  await app.call('sync.run');
  const file = join(planFolder(app), listPlan(app).find((name) => name.startsWith('tasks')) ?? '');
  writeFileSync(file, readFileSync(file, 'utf8').replace('"1.0"', '"2.0"'));
  expect(await app.reply('sync.run')).toMatchObject({ exitCode: 8, envelope: { error: { code: 'E_CONFIG_ERROR' } } });
});

test('publishes decisions, documents and handoffs, but no observations', async () => {
  const a = await openReplica(1, { tasks: ['T001 epic', 'T002 in T001'] });
  await a.call('memory.store', { type: 'decision', content: 'Use SQLite', tasks: ['T001'] });
  await a.call('memory.observe', { text: 'A private thought' });
  writeFileSync(join(a.root, 'plan.md'), '# Plan\n');
  await a.call('docs.add', { slug: 'plan', type: 'note', file: 'plan.md', taskId: 'T001' });
  await a.call('session.start', { scope: 'epic:T001', autoFocus: true });
  await a.call('session.end', { note: 'Continue with the parser' });
  await a.call('sync.run');
  expect(listPlan(a).map((name) => name.split('/')[0])).toEqual(
    expect.arrayContaining(['contents', 'documents', 'handoffs', 'memory', 'tasks']),
  );
  expect(listPlan(a).some((name) => readFileSync(join(planFolder(a), name), 'utf8').includes('private thought'))).toBe(false);
  const b = await openReplica(2);
  mergeFiles(a, b);
  expect(await b.call('sync.run')).toMatchObject({ success: true });
  expect(await b.call('memory.fetch', { id: 'D-001' })).toMatchObject({ success: true });
  expect(JSON.stringify(await b.call('session.briefing'))).toContain('Continue with the parser');
  expect((await b.call('docs.fetch', { slug: 'plan' })).content).toBe('# Plan\n');
  expect((await b.reply('sync.run')).exitCode).toBe(102);
});

test('a content is read only if it has the hash of its name, and one of more than 1 MiB is not published', async () => {
  const a = await openReplica(1, { tasks: ['T001'] });
  for (const [slug, content] of [
    ['small', '# Plan\n'],
    ['large', 'x'.repeat((1 << 20) + 1)],
  ] as const) {
    writeFileSync(join(a.root, 'doc.md'), content);
    expect(await a.call('docs.add', { slug, type: 'note', file: 'doc.md', taskId: 'T001' })).toMatchObject({ success: true });
  }
  await a.call('sync.run');
  const contents = listPlan(a).filter((name) => name.startsWith('contents'));
  expect(contents).toHaveLength(1);
  const b = await openReplica(2);
  mergeFiles(a, b);
  writeFileSync(join(planFolder(b), contents[0]!), '# Forged\n');
  await b.call('sync.run');
  expect(JSON.stringify(await b.call('docs.fetch', { slug: 'small' }))).not.toContain('Forged');
});

test('the tasks of a handoff keep their meaning when they are renumbered, here and in the other clone', async () => {
  const a = await openReplica(1, { tasks: ['T001 epic'] });
  await a.call('sync.run');
  const b = await openReplica(2);
  mergeFiles(a, b);
  await b.call('sync.run');
  await a.call('tasks.add', { title: 'Older' });
  await new Promise((resolve) => setTimeout(resolve, 5));
  await b.call('tasks.add', { title: 'Newer', parent: 'T001' });
  await b.call('session.start', { scope: 'epic:T001', autoFocus: true });
  await b.call('tasks.complete', { taskId: 'T002' });
  await b.call('session.end', { note: 'T002 is done' });
  for (const app of [a, b]) await app.call('sync.run');
  mergeFiles(a, b);
  await b.call('sync.run');
  mergeFiles(b, a);
  await a.call('sync.run');
  for (const app of [a, b]) {
    const [session] = await app.store.read(({ plan }) => plan.listHandoffs());
    expect(session?.handoff).toMatchObject({ note: 'T002 is done', done: [{ id: 'T003', title: 'Newer' }] });
    await app.call('session.start', { scope: 'epic:T001', focus: 'T003' });
    expect((await app.reply('sync.run', { dryRun: true })).envelope.sync).toMatchObject({ read: 0 });
  }
});

test('a document with the name of a task does not change its number', async () => {
  const a = await openReplica(1, { tasks: ['T001 epic', 'T002 in T001'] });
  const { uid } = (await a.call('tasks.show', { taskId: 'T002' })).task;
  writeFileSync(join(a.root, 'plan.md'), '# Plan\n');
  await a.call('docs.add', { slug: uid, type: 'note', file: 'plan.md', taskId: 'T001' });
  await a.call('sync.run');
  const b = await openReplica(2);
  mergeFiles(a, b);
  await b.call('sync.run');
  expect(await exportPlan(b)).toEqual(await exportPlan(a));
  expect((await b.call('docs.fetch', { slug: uid })).content).toBe('# Plan\n');
  await a.call('tasks.update', { taskId: 'T002', title: 'Renamed' });
  await a.call('sync.run');
  mergeFiles(a, b);
  await b.call('sync.run');
  expect((await b.call('tasks.show', { taskId: 'T002' })).task).toMatchObject({ title: 'Renamed', parentId: 'T001' });
});

test('a cycle that two clones closed is reported once by sync, and by every check until it is gone', async () => {
  const a = await openReplica(1, { tasks: ['T001', 'T002', 'T003'] });
  await a.call('sync.run');
  const b = await openReplica(2);
  mergeFiles(a, b);
  await b.call('sync.run');
  await a.call('tasks.update', { taskId: 'T001', addDepends: ['T002'] });
  await b.call('tasks.update', { taskId: 'T002', addDepends: ['T001'] });
  for (const app of [a, b]) await app.call('sync.run');
  mergeFiles(b, a);
  const message = 'T002 does not depend on T001: that would be a cycle';
  expect((await a.call('sync.run')).sync.issues).toEqual([{ kind: 'cycle', problem: message }]);
  expect(await a.call('sync.check')).toMatchObject({ error: { exitCode: 1, message, fix: 'cleo deps T002' } });
  expect((await a.call('admin.doctor')).findings).toEqual([{ check: 'plan', severity: 'warning', message, fix: 'cleo deps T002' }]);
  await a.call('tasks.update', { taskId: 'T002', title: 'Renamed' });
  await a.call('tasks.update', { taskId: 'T003', addDepends: ['T002'] });
  expect((await a.call('sync.run')).sync.issues).toBeUndefined();
  await a.call('tasks.update', { taskId: 'T001', removeDepends: ['T002'] });
  await a.call('sync.run');
  expect((await a.call('tasks.show', { taskId: 'T002' })).task.depends).toEqual(['T001']);
  expect(await a.call('sync.check')).toMatchObject({ success: true });
});

test('doctor reports conflict markers and files of a newer version', async () => {
  const app = await openReplica(1, { tasks: ['T001', 'T002'] });
  await app.call('sync.run');
  const [one = '', other = ''] = listPlan(app).filter((name) => name.startsWith('tasks'));
  const edit = (name: string, change: (text: string) => string): void =>
    writeFileSync(join(planFolder(app), name), change(readFileSync(join(planFolder(app), name), 'utf8')));
  edit(one, (text) => text.replace('"1.0"', '"2.0"'));
  edit(other, (text) => text.replace(/^(.*"kind".*)$/m, '<<<<<<< HEAD\n$1\n=======\n$1\n>>>>>>> theirs'));
  expect((await app.call('admin.doctor')).findings).toEqual([
    expect.objectContaining({ check: 'plan', severity: 'error', message: expect.stringContaining(one), fix: 'cleo version' }),
    expect.objectContaining({
      check: 'plan',
      severity: 'error',
      message: expect.stringContaining(`${other}, line 3`),
      fix: 'cleo sync --resolve',
    }),
  ]);
  expect((await app.reply('sync.check')).exitCode).toBe(8);
});
