import { expect, test } from 'vitest';
import { createPlanState, createPlanTask, editPlanTask, planNoon } from '../../../../test/plan-tasks.ts';
import type { PlanRecord, PlanState } from '../../model/plan.ts';
import { deleteRecord, diffRecord } from './diff.ts';
import { toCriterionElements, toKeyElements, toNoteElements, toStoredCriteria } from './elements.ts';
import { mergeRecords } from './merge.ts';
import { projectPlan } from './project.ts';
import { createStamp } from './stamp.ts';
import { isDeletedRecord } from './summarize.ts';

const [a, b, c] = ['a1a1', 'b2b2', 'c3c3'];
const projectOne = (record: PlanRecord): PlanState => projectPlan([record]).states.get(`task ${record.uid}`)!;
const edit = (record: PlanRecord, replica: string, ms: number, fields: PlanState['fields'], sets: PlanState['sets'] = {}): PlanRecord =>
  editPlanTask(record, projectOne(record), replica, planNoon + ms, fields, sets);
const listNotes = (state: PlanState): string[] => (state.sets.notes ?? []).map(({ value }) => (value as { text: string }).text);

test('a new record has the stamp of its creation in all fields, and later stamps where the store knows the edit', () => {
  const now = createPlanState('u1', 'T001', { sets: { labels: toKeyElements(['b', 'a']) } });
  const times = { base: undefined, before: undefined, now, project: 'p', replica: a, nowMs: planNoon + 9000 };
  const record = diffRecord({ ...times, editedAtMs: (field) => (field === 'title' ? planNoon + 5000 : undefined) });
  const stampOf = (field: string) => record.entries.find((entry) => entry.field === field)?.stamp;
  expect(record).toMatchObject({
    uid: 'u1',
    origin: { project: 'p', replica: a },
    created: { stamp: createStamp(planNoon, a), id: 'T001' },
  });
  expect([stampOf('priority'), stampOf('title')]).toEqual([createStamp(planNoon, a), createStamp(planNoon + 5000, a)]);
  expect(projectOne(record).sets.labels).toEqual(toKeyElements(['b', 'a']));
  expect(projectOne(record).updatedAt).toBe(new Date(planNoon + 5000).toISOString());
});

test('an edit that is dated after the present has the present as its time', () => {
  const now = createPlanState('u1', 'T001');
  const times = { base: undefined, before: undefined, now, project: 'p', replica: a, nowMs: planNoon + 9000 };
  const record = diffRecord({ ...times, editedAtMs: () => planNoon + 99_000 });
  expect(record.entries.find(({ field }) => field === 'title')?.stamp.slice(0, 24)).toBe(createStamp(planNoon + 9000, a).slice(0, 24));
});

test('the later of two concurrent edits wins, and the other text is a note that survives the next edit', () => {
  const base = createPlanTask(a, 'u1', 'T001');
  const merged = mergeRecords(edit(base, a, 2000, { title: 'Later' }), edit(base, b, 1000, { title: 'Earlier' }));
  const state = projectOne(merged);
  expect(state.fields.title).toBe('Later');
  expect(listNotes(state)).toEqual([`Concurrent title of 2026-11-16T12:00:01.000Z from replica ${b}:\nEarlier`]);
  expect(projectPlan([merged]).issues).toEqual([
    {
      kind: 'concurrent-text',
      recordKind: 'task',
      uids: ['u1'],
      message: 'title of T001 was changed concurrently; the later text stays, the other is a note',
    },
  ]);
  const next = edit(merged, c, 3000, { title: 'Third' });
  expect([projectOne(next).fields.title, listNotes(projectOne(next))]).toEqual(['Third', listNotes(state)]);
  expect(projectPlan([next]).issues).toEqual([]);
});

test('edits of different fields are both kept without an issue', () => {
  const base = createPlanTask(a, 'u1', 'T001');
  const merged = mergeRecords(edit(base, a, 2000, { title: 'New' }), edit(base, b, 1000, { priority: 'high' }));
  expect(projectOne(merged).fields).toMatchObject({ title: 'New', priority: 'high' });
  expect(projectPlan([merged]).issues).toEqual([]);
});

test('a label that was removed here stays removed, and one that was added elsewhere at the same time stays', () => {
  const base = createPlanTask(a, 'u1', 'T001', { sets: { labels: toKeyElements(['x', 'y']) } });
  const merged = mergeRecords(
    edit(base, a, 1000, {}, { labels: toKeyElements(['y']) }),
    edit(base, b, 500, {}, { labels: toKeyElements(['x', 'y', 'z']) }),
  );
  expect(projectOne(merged).sets.labels).toEqual(toKeyElements(['y', 'z']));
});

test('a cleared field is cleared elsewhere, and the text it lost against is a note', () => {
  const base = createPlanTask(a, 'u1', 'T001', { fields: { description: 'Old' } });
  const before = projectOne(base);
  const cleared = editPlanTask(base, before, a, planNoon + 2000, { description: undefined });
  expect(projectOne(mergeRecords(cleared, base)).fields).not.toHaveProperty('description');
  const merged = projectOne(mergeRecords(cleared, edit(base, b, 1000, { description: 'Changed' })));
  expect(merged.fields).not.toHaveProperty('description');
  expect(listNotes(merged)).toEqual([expect.stringMatching(/\nChanged$/)]);
});

test('criteria keep their order and their ticks, and a tick made elsewhere is added', () => {
  const { criteria } = toCriterionElements([
    { kind: 'text', text: 'b' },
    { kind: 'evidence_bound', gate: 'testsPassed' },
    { kind: 'text', text: 'a' },
  ]);
  const base = createPlanTask(a, 'u1', 'T001', { sets: { criteria } });
  const tick = (i: number) => ({ key: criteria[i]!.key, value: { at: '2026-11-16T12:00:00.000Z', by: 'agent' } });
  const merged = projectOne(mergeRecords(edit(base, a, 1000, {}, { ticks: [tick(0)] }), edit(base, b, 1000, {}, { ticks: [tick(2)] })));
  expect(toStoredCriteria(merged.sets.criteria, merged.sets.ticks)).toEqual([
    { kind: 'text', text: 'b', metAt: '2026-11-16T12:00:00.000Z', metBy: 'agent' },
    { kind: 'evidence_bound', gate: 'testsPassed' },
    { kind: 'text', text: 'a', metAt: '2026-11-16T12:00:00.000Z', metBy: 'agent' },
  ]);
  const moved = edit(base, a, 1000, {}, { criteria: [criteria[2]!, criteria[0]!, criteria[1]!] });
  expect(projectOne(moved).sets.criteria).toEqual([criteria[2], criteria[0], criteria[1]]);
});

test('notes written on two replicas are both kept in the order of time, also if they are equal', () => {
  const note = (text: string, ms: number) => ({ at: new Date(planNoon + ms).toISOString(), by: 'agent', text });
  const base = createPlanTask(a, 'u1', 'T001', { sets: { notes: toNoteElements([note('same', 0), note('same', 0)]) } });
  const before = projectOne(base).sets.notes!;
  const merged = mergeRecords(
    edit(base, a, 2000, {}, { notes: [...before, ...toNoteElements([note('second', 2000)])] }),
    edit(base, b, 3000, {}, { notes: [...before, ...toNoteElements([note('first', 1000)])] }),
  );
  expect(listNotes(projectOne(merged))).toEqual(['same', 'same', 'first', 'second']);
});

test('a deletion wins over what it has seen, and an edit that it has not seen keeps the whole task', () => {
  const base = createPlanTask(a, 'u1', 'T001', { fields: { description: 'Text' } });
  const deleted = deleteRecord(base, { at: new Date(planNoon + 5000).toISOString(), by: 'agent', replica: a });
  expect([isDeletedRecord(deleted), isDeletedRecord(mergeRecords(deleted, base))]).toEqual([true, true]);
  expect(projectPlan([deleted]).states.size).toBe(0);
  const merged = mergeRecords(deleted, edit(base, b, 1000, { title: 'Edited' }));
  expect(projectOne(merged).fields).toMatchObject({ title: 'Edited', description: 'Text' });
  expect(projectPlan([merged]).issues).toMatchObject([{ kind: 'revived', uids: ['u1'] }]);
  // The next edit ends the deletion, so that replacing the edit which revived the task does not delete it again.
  const next = edit(merged, c, 9000, { title: 'Third' });
  expect(projectPlan([mergeRecords(next, deleted)]).issues).toEqual([]);
});

test('a restored task is there for replicas that have seen its deletion', () => {
  const base = createPlanTask(a, 'u1', 'T001');
  const deleted = deleteRecord(base, { at: new Date(planNoon + 5000).toISOString(), by: 'agent', replica: a });
  const restored = diffRecord({
    base: deleted,
    before: undefined,
    now: projectOne(base),
    project: 'p',
    replica: b,
    nowMs: planNoon + 6000,
  });
  expect(isDeletedRecord(mergeRecords(restored, deleted))).toBe(false);
  expect(isDeletedRecord(mergeRecords(restored, base))).toBe(false);
});

test('the number of a second T001 moves up, with an alias and a note, and a sync writes neither as an edit', () => {
  const [first, second] = [createPlanTask(a, 'u1', 'T001'), createPlanTask(b, 'u2', 'T001', {}, planNoon + 1000)];
  const { states, issues } = projectPlan([second, first]);
  const state = states.get('task u2')!;
  expect(state).toMatchObject({ id: 'T002', renumberedFrom: 'T001' });
  expect(state.sets.aliases).toEqual([{ key: `cleo T001@${b}`, value: { tool: 'cleo', alias: `T001@${b}` } }]);
  expect(listNotes(state)).toEqual([`Created as T001 in replica ${b}; renumbered, because T001 belongs to an older task.`]);
  expect(issues).toMatchObject([{ kind: 'renumbered', uids: ['u2'] }]);
  expect(diffRecord({ base: second, before: state, now: structuredClone(state), project: 'p', replica: b, nowMs: planNoon })).toBe(second);
});

test('a dependency that is left out of a cycle is not removed by an edit of another field', () => {
  const one = createPlanTask(a, 'u1', 'T001', { sets: { depends: toKeyElements(['u2']) } });
  const two = createPlanTask(b, 'u2', 'T002', { sets: { depends: toKeyElements(['u1']) } }, planNoon + 1000);
  const { states } = projectPlan([one, two]);
  expect([states.get('task u1')?.sets.depends, states.get('task u2')?.sets.depends]).toEqual([toKeyElements(['u2']), undefined]);
  const edited = editPlanTask(two, states.get('task u2')!, b, planNoon + 5000, { title: 'New' });
  expect(edited.entries.filter(({ field }) => field === 'depends')).toHaveLength(1);
  const freed = editPlanTask(one, states.get('task u1')!, a, planNoon + 6000, {}, { depends: [] });
  expect(projectPlan([freed, edited]).states.get('task u2')?.sets.depends).toEqual(toKeyElements(['u1']));
});

test('after restoring a backup, edits do not remove what the replica wrote after the backup', () => {
  const backup = createPlanTask(a, 'u1', 'T001');
  const published = edit(backup, a, 1000, {}, { labels: toKeyElements(['kept']) });
  const before = projectOne(backup);
  const now = { ...before, fields: { ...before.fields, title: 'After' } };
  const times = { base: backup, before, now, project: 'p', replica: a, nowMs: planNoon + 9000 };
  expect(projectOne(mergeRecords(diffRecord({ ...times, incoming: published }), published)).sets.labels).toEqual(toKeyElements(['kept']));
});

test('fields, sets and keys of a newer version survive an edit', () => {
  const base = createPlanTask(a, 'u1', 'T001', {
    fields: { mood: 'good', state: { status: 'pending', color: 'red' } },
    sets: { friends: toKeyElements(['x']) },
  });
  const state = projectOne(base);
  const now = { ...state, fields: { ...state.fields, state: { status: 'active' } }, sets: {} };
  delete (now.fields as { mood?: unknown }).mood;
  const next = diffRecord({ base, before: state, now, project: 'p', replica: a, nowMs: planNoon + 1000 });
  expect(projectOne(next).fields).toMatchObject({ mood: 'good', state: { status: 'active', color: 'red' } });
  expect(projectOne(next).sets).toEqual({ friends: toKeyElements(['x']) });
});

test('a long text that lost is split into notes that a note can hold', () => {
  const base = createPlanTask(a, 'u1', 'T001', { fields: { description: 'Old' } });
  const long = '🙂'.repeat(4000);
  const merged = projectOne(mergeRecords(edit(base, a, 2000, { description: 'Later' }), edit(base, b, 1000, { description: long })));
  const notes = listNotes(merged);
  expect(notes.length).toBe(3);
  expect(notes.every((text) => text.length <= 4000 && text.isWellFormed())).toBe(true);
  expect(
    notes
      .map((text) => text.slice(text.indexOf('\n') + 1))
      .sort((x, y) => y.length - x.length)
      .join(''),
  ).toBe(long);
});

test('the later of two holders stays, and two holders are reported', () => {
  const base = createPlanTask(a, 'u1', 'T001');
  const start = (replica: string, ms: number) => {
    const at = new Date(planNoon + ms).toISOString();
    return edit(base, replica, ms, { state: { status: 'active', holder: { agent: `agent-${replica}`, replica, at } } });
  };
  const { states, issues } = projectPlan([mergeRecords(start(a, 1000), start(b, 2000))]);
  expect(states.get('task u1')?.fields.state).toMatchObject({ holder: { agent: `agent-${b}` } });
  expect(issues).toMatchObject([{ kind: 'two-holders' }]);
});
