import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { TestApp } from '../../../../test/app.ts';
import { openReplica, planFolder } from '../../../../test/plan-replicas.ts';
import { type PlanKind, planFields, planFolders } from '../../model/plan.ts';

const at = '2026-01-01T00:00:00.000Z';
const stamp = `${at}.0000.${'a'.repeat(16)}`;
const event = { at, by: 'eve' };
const digest = 'd'.repeat(64);

const valid: Record<PlanKind, { id?: string; fields: Record<string, unknown>; sets: Record<string, { key: string; value: unknown }[]> }> = {
  task: {
    id: 'T001',
    fields: { title: 'Write', priority: 'medium', place: { type: 'task' }, state: { status: 'pending' }, creation: event },
    sets: {
      criteria: [{ key: 'c', value: { kind: 'text', text: 'works' } }],
      notes: [{ key: 'n', value: { ...event, text: 'a note' } }],
      evidence: [{ key: 'e', value: { ...event, gate: 'implemented', round: 1, passed: true, evidence: [{ kind: 'note', text: 'x' }] } }],
    },
  },
  memory: {
    id: 'D-001',
    fields: { type: 'decision', title: 'Use it', content: 'Use it', digest, creation: event, decision: { state: 'proposed' } },
    sets: {},
  },
  document: {
    fields: { type: 'note', title: 'Plan', creation: event },
    sets: { versions: [{ key: 'v', value: { ...event, digest, encoding: 'utf8', size: 1 } }] },
  },
  handoff: {
    fields: {
      ...{ name: 'one', scope: { kind: 'global' }, creation: event, endedAt: at },
      handoff: { done: [], open: [{ id: 'T001', title: 'Write' }], blocked: [], decisions: [], next: [] },
    },
    sets: {},
  },
};

/** Values that a careless or hostile author may write. */
const oddValues: unknown[] = [
  ...[null, true, -1, 1.5, 1e300, '', 'x', 'a\nb\u001b]0;x\u0007', 'x'.repeat(200_000), '2026-99-99T00:00:00.000Z', '../../x', '__proto__'],
  ...[[], [null], [[]], {}, { at: 5, by: [] }, { kind: 'x', type: 'x', status: 'done', state: 'accepted' }, { kind: 'epic', root: {} }],
  ...[
    { ...event, round: {}, gate: 'x', passed: 'yes', evidence: [5] },
    { done: [5], open: {}, blocked: [], decisions: [], next: [] },
  ],
];

function write(app: TestApp, kind: PlanKind, name: string, { id, fields, sets }: (typeof valid)[PlanKind]): void {
  const folder = join(planFolder(app), planFolders[kind]);
  const record = {
    ...{ version: '1.0', kind, uid: name, origin: { project: 'x', replica: 'a'.repeat(16) }, created: { id, stamp } },
    fields: Object.fromEntries(Object.entries(fields).map(([field, value]) => [field, [{ value, stamp }]])),
    sets: Object.fromEntries(Object.entries(sets).map(([set, items]) => [set, items.map((item) => ({ ...item, stamp }))])),
  };
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, `${name}.json`), JSON.stringify(record));
}

const reads: [string, object?][] = [
  ...(['tasks.list', 'tasks.next', 'admin.dash', 'admin.doctor', 'session.briefing', 'session.list', 'docs.list'] as const).map(
    (name): [string] => [name],
  ),
  ...([['memory.find'], ['tasks.export'], ['sync.check']] as [string][]),
  ...(['T001', 'T002'].flatMap((taskId) => [
    ['tasks.show', { taskId }],
    ['verify.status', { taskId }],
  ]) as [string, object][]),
  ['memory.fetch', { id: 'D-001' }],
];

test.each(Object.keys(valid) as PlanKind[])('no value in the file of a %s makes a command fail unexpectedly', async (kind) => {
  const { fields, sets, ...rest } = valid[kind];
  const app = await openReplica(1);
  const variants = [
    ...[...new Set([...planFields[kind].fields, ...Object.keys(fields)])].flatMap((field) =>
      oddValues.map((value) => ({ fields: { ...fields, [field]: value }, sets })),
    ),
    ...[...new Set([...planFields[kind].sets, ...Object.keys(sets)])].flatMap((set) =>
      oddValues.map((value) => ({ fields, sets: { ...sets, [set]: [{ key: 'k', value }] } })),
    ),
    ...Object.keys(fields).map((field) => ({
      fields: Object.fromEntries(Object.entries(fields).filter(([name]) => name !== field)),
      sets,
    })),
    { fields, sets },
  ];
  for (const [i, variant] of variants.entries()) {
    const name = String(i).padStart(20, '0');
    // The name of a memory entry is the beginning of its digest.
    const own = variant.fields.digest === digest ? { digest: `${name}${digest.slice(20)}` } : {};
    write(app, kind, name, { ...rest, ...variant, fields: { ...variant.fields, ...own } });
  }
  const { error, sync } = await app.call('sync.run');
  expect(error).toBeUndefined();
  expect(sync.read).toBeGreaterThan(20);
  expect(sync.problems.length).toBeGreaterThan(20);
  const answers = await Promise.all(reads.map(([operation, params]) => app.call(operation, { ...params })));
  expect(answers.flatMap(({ error }) => (error?.code === 'E_GENERAL_ERROR' ? [error.message] : []))).toEqual([]);
});

test('two memory entries cannot have the same digest', async () => {
  const app = await openReplica(1);
  for (const name of [digest.slice(0, 20), 'another']) write(app, 'memory', name, valid.memory);
  const { sync } = await app.call('sync.run');
  expect(sync).toMatchObject({ read: 1, problems: [{ problem: '"digest" must begin with the uid' }] });
});

test('texts and names that are too long, or have control characters, do not reach the store', async () => {
  const app = await openReplica(1);
  const { task } = valid;
  for (const [name, more] of Object.entries({
    long: { description: 'x'.repeat(3_000_000) },
    title: { title: 'x'.repeat(5000) },
    control: { title: 'a\u001b]0;x\u0007' },
  }))
    write(app, 'task', name, { ...task, fields: { ...task.fields, ...more } });
  const { sync } = await app.call('sync.run');
  expect(sync.problems).toHaveLength(3);
  expect((await app.call('tasks.list')).tasks).toEqual([]);
});

test('further keys of a status or a criterion do not take the place of other fields', async () => {
  const app = await openReplica(1, { tasks: ['T001'] });
  const { task } = valid;
  const state = { status: 'pending', id: 'T001', uid: 'x', type: 'epic', title: 'Other', createdBy: 'sam', acceptance: [] };
  const criterion = { kind: 'evidence_bound', gate: 'testsPassed', metAt: at, metBy: 'sam' };
  const sets = { criteria: [{ key: 'c', value: criterion }] };
  write(app, 'task', 'more', { ...task, id: 'T007', fields: { ...task.fields, state }, sets });
  expect(await app.call('sync.run')).toMatchObject({ success: true });
  const shown = (await app.call('tasks.show', { taskId: 'T007' })).task;
  expect(shown).toMatchObject({ uid: 'more', type: 'task', title: 'Write', status: 'pending', createdBy: 'eve' });
  expect(shown.acceptance).toMatchObject([{ kind: 'evidence_bound', gate: 'testsPassed' }]);
  expect(JSON.stringify(shown.acceptance)).not.toContain('sam');
});
