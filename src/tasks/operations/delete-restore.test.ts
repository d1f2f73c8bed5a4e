import { expect, test } from 'vitest';
import { asPerson, type Json, openApp, type TestApp } from '../../../test/app.ts';
import { pickSize } from '../../../test/faults/processes.ts';
import { createRandom } from '../../../test/random.ts';

/** Everything that is stored about tasks, without the times and revisions that any write changes. */
async function takeSnapshot({ call, store }: TestApp): Promise<Json> {
  const { content } = await call('tasks.export', { format: 'jsonl' });
  const lines = String(content)
    .trim()
    .split('\n')
    .map((line) => {
      const { updatedAt: _, revision: __, ...rest } = JSON.parse(line);
      return rest.exportedAt ? {} : rest;
    });
  const attached = await store.read(async (reads) => {
    const found: Json = {};
    for (const { id, relations: _, ...record } of await reads.tasks.listAllAfter(undefined, 1000).then((tasks) => tasks as Json[])) {
      const { updatedAt: __, revision: ___, ...fields } = record;
      found[id] = {
        fields,
        notes: (await reads.tasks.getNotes([id])).get(id),
        relations: await reads.tasks.listRelations(id),
        attempts: await reads.gates.listAttempts(id),
        rounds: await reads.gates.getRounds(id),
        baseline: await reads.gates.getBaseline(id),
        spawns: (await reads.spawns.listForTask(id)).length,
        stages: await reads.lifecycle.listStages(id),
        docs: (await reads.docs.listForTask(id)).map(({ slug }) => slug),
        memories: (await reads.memory.listForTask(id)).map((memory) => memory.id),
      };
    }
    return found;
  });
  const found = await call('tasks.find', { query: 'unusual', limit: 0 });
  return { lines, attached, found: found.tasks };
}

const agent = 'ada';

/** Creates a small plan with everything that a task can have. */
async function fillRandomly(app: TestApp, random: () => number): Promise<string[]> {
  const pick = <T>(items: T[]): T => items[Math.floor(random() * items.length)]!;
  const some = <T>(items: T[], share: number): T[] => items.filter(() => random() < share);
  const ids: string[] = [];
  const call = async (operation: string, params: Json): Promise<Json> => app.call(operation, params, asPerson);
  for (let i = 0; i < 9; i++) {
    const parent = random() < 0.6 ? pick(ids) : undefined;
    const { task } = await call('tasks.add', {
      title: pick(['An unusual task', 'A task', 'Parse it']),
      ...(parent ? { parent } : { type: pick(['epic', 'task', 'saga']) }),
      ...(random() < 0.5 ? { description: 'With an unusual text', due: '2026-12-01', assignee: 'me', size: 'small', phase: 'core' } : {}),
      labels: some(['b', 'a', 'c'], 0.4),
      files: some(['b.ts', 'a.ts'], 0.4),
      requires: some(['linux', 'gpu'], 0.4),
      acceptance: some(['reads', 'writes'], 0.4),
      ...(random() < 0.2 ? { acceptEvidence: ['implemented'] } : {}),
      ...(random() < 0.4 ? { notes: 'First note' } : {}),
    });
    if (task) ids.push(task.id);
  }
  // Some of these are rejected: cycles, ancestors, relations inside a hierarchy.
  for (let i = 0; i < 14; i++) await call('tasks.update', { taskId: pick(ids), addDepends: [pick(ids)] });
  for (let i = 0; i < 6; i++)
    await call('tasks.relates.add', { from: pick(ids), to: pick(ids), type: pick(['fixes', 'related']), reason: `r${i}` });
  for (const id of some(ids, 0.3)) await call('tasks.criteria.check', { taskId: id, n: 1 });
  for (const id of some(ids, 0.4)) await call('tasks.update', { taskId: id, notes: 'An unusual note' });
  for (const id of some(ids, 0.3)) await call('memory.observe', { content: `About ${id}`, task: id });
  for (const id of some(ids, 0.3)) await call('docs.add', { taskId: id, slug: `d-${id.toLowerCase()}`, content: `About ${id}` });
  for (const id of some(ids, 0.3)) await call('tasks.update', { taskId: id, blockedBy: 'a licence' });
  for (const id of some(ids, 0.2)) await call('tasks.start', { taskId: id });
  await call('tasks.stop', {});
  await app.store.write({ at: '2026-01-01T00:00:00.000Z', by: agent }, async (writes) => {
    for (const taskId of some(ids, 0.4)) {
      const evidence = [{ kind: 'note' as const, value: 'seen' }];
      const attempt = { gate: 'implemented' as const, round: 1, passed: true, evidence, by: agent, at: '2026-01-01T00:00:00.000Z' };
      await writes.gates.addAttempt(taskId, attempt as never);
      await writes.gates.addAttempt(taskId, { ...attempt, gate: 'testsPassed', passed: false } as never);
      await writes.gates.saveRounds(taskId, {
        round: 2,
        failed: 1,
        verdict: { verdict: 'rejected', by: 'eve', at: attempt.at, reason: 'no' },
      });
      await writes.claims.insertBaseline(taskId, { head: 'a'.repeat(40), at: attempt.at });
      await writes.lifecycle.saveStage(taskId, { stage: 'research', status: 'completed', by: agent, at: attempt.at } as never);
      const task = (await writes.tasks.get(taskId))!;
      await writes.tasks.save(task, { ...task, aliases: [{ tool: 'github:acme', id: `#${taskId.slice(1)}` }] });
    }
  });
  for (const id of some(ids, 0.2)) await call('tasks.cancel', { taskId: id, reason: 'no longer' });
  return ids;
}

test.each(Array.from({ length: pickSize(2, 100) }, (_, seed) => seed))(
  'a deleted task is restored and taken back as it was, with and without its descendants: world %i',
  async (seed) => {
    const random = createRandom(seed + 1);
    const app = await openApp({ agent });
    const ids = await fillRandomly(app, random);
    const before = await takeSnapshot(app);
    let deletions = 0;
    for (const id of ids.slice(0, pickSize(5, ids.length))) {
      const remove = (): Promise<Json> => app.call('tasks.delete', { taskId: id, cascade: true, orphan: true }, asPerson);
      const removed = await remove();
      // Done tasks are archived, not deleted.
      if (!removed.success) continue;
      deletions++;
      const restored = await app.call('tasks.restore', { taskId: id, cascade: true }, asPerson);
      expect(restored, JSON.stringify(restored)).toMatchObject({ success: true });
      expect(restored._meta.warnings ?? []).toEqual([]);
      expect(await takeSnapshot(app)).toEqual(before);
      await app.call('admin.undo', {}, asPerson);
      expect((await app.call('tasks.exists', { taskId: id })).exists).toBe(false);
      // The restore that was taken back can be repeated.
      expect(await app.call('tasks.restore', { taskId: id, cascade: true }, asPerson)).toMatchObject({ success: true });
      expect(await takeSnapshot(app)).toEqual(before);
      expect((await remove()).deleted).toEqual(removed.deleted);
      const undone = await app.call('admin.undo', {}, asPerson);
      expect(undone, JSON.stringify(undone.error)).toMatchObject({ success: true });
      expect(await takeSnapshot(app)).toEqual(before);
    }
    expect(deletions).toBeGreaterThan(0);
    expect((await app.call('admin.audit.verify')).chain.ok).toBe(true);
    expect((await app.call('admin.doctor')).findings).toEqual([]);
  },
);

test('a dependency between two tasks that were deleted together is restored in its place, in any order', async () => {
  const world = ['T001 epic', 'T002 in T001', 'T003 in T001', 'T004 in T001 depends T003,T002', 'T005 depends T003,T004,T002'];
  for (const order of [
    ['T002', 'T003', 'T004'],
    ['T004', 'T003', 'T002'],
    ['T003', 'T004', 'T002'],
  ]) {
    const { call } = await openApp({ tasks: world });
    await call('tasks.delete', { taskIds: ['T002', 'T003', 'T004'], orphan: true });
    for (const taskId of order) expect(await call('tasks.restore', { taskId })).toMatchObject({ success: true });
    const { task } = await call('tasks.show', { taskId: 'T005' });
    expect(task.depends.toSorted()).toEqual(['T002', 'T003', 'T004']);
    expect((await call('tasks.show', { taskId: 'T004' })).task.depends.toSorted()).toEqual(['T002', 'T003']);
  }
});

test('dependencies are restored in front of those that stayed', async () => {
  const { call } = await openApp({ tasks: ['T001 epic', 'T002 in T001', 'T003 in T001', 'T004', 'T005 depends T003,T002,T004'] });
  await call('tasks.delete', { taskId: 'T001', cascade: true, orphan: true });
  expect((await call('tasks.show', { taskId: 'T005' })).task.depends).toEqual(['T004']);
  await call('tasks.restore', { taskId: 'T001', cascade: true });
  expect((await call('tasks.show', { taskId: 'T005' })).task.depends).toEqual(['T003', 'T002', 'T004']);
});

test('the outermost of several deleted tasks restores all of them', async () => {
  const { call } = await openApp({ tasks: ['T001 epic', 'T002 in T001', 'T003 in T002'] });
  await call('tasks.delete', { taskIds: ['T002', 'T001'], cascade: true });
  expect(await call('tasks.restore', { taskId: 'T001', cascade: true })).toMatchObject({ restored: ['T001', 'T002', 'T003'] });
});

test('undo does not relate a task to one that was deleted', async () => {
  const app = await openApp({ tasks: ['T001', 'T002'], agent });
  await app.call('tasks.relates.add', { from: 'T001', to: 'T002', type: 'fixes', reason: 'the crash' });
  await app.call('tasks.delete', { taskId: 'T001' });
  await app.as('ben').call('tasks.delete', { taskId: 'T002' });
  const { error } = await app.call('admin.undo');
  expect(error).toMatchObject({ code: 'E_UNDO_BLOCKED', message: expect.stringContaining('T002, which was related, no longer exists') });
});
