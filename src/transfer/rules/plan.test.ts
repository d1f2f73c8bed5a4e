import fc from 'fast-check';
import { is } from 'valibot';
import { expect, test } from 'vitest';
import { AgentId, Criterion, Description, FilePath, Label, NoteText, type TaskId, Title, toTaskId } from '#core/model/scalars.ts';
import type { Note, TaskRecord } from '#tasks/model/task.ts';
import { canBePlaced, getChildTier } from '#tasks/rules/hierarchy.ts';
import { findCycle, type TaskLinks } from '#tasks/rules/order.ts';
import type { ForeignData, ForeignTask } from '../model/foreign.ts';
import type { EarlierImport } from './import-state.ts';
import { createImportDraft, type ImportPlan, planImport } from './plan.ts';
import { applyPlacement } from './records.ts';

/** The contents of a store after one or several imports. */
interface World {
  tasks: Map<TaskId, TaskRecord>;
  notes: Map<TaskId, Note[]>;
  earlierImports: Map<string, EarlierImport>;
  /** The highest id so far; no id is assigned twice. */
  last: number;
}

const empty = (): World => ({ tasks: new Map(), notes: new Map(), earlierImports: new Map(), last: 0 });
const now = '2026-11-15T12:00:00.000Z';

function runImport(world: World, file: ForeignData): ImportPlan {
  const draft = createImportDraft(file, world.earlierImports);
  const count = draft.items.filter(({ earlier }) => !earlier).length;
  const snapshot = {
    tasks: world.tasks,
    depends: [...world.tasks.values()].flatMap(({ id, depends }) => depends.map((to) => ({ from: id, to }))),
    records: world.tasks,
    notes: world.notes,
    heldIds: new Set<TaskId>(),
    maxSiblings: 7,
  };
  const plan = planImport(
    draft,
    snapshot,
    Array.from({ length: count }, () => toTaskId(++world.last)),
    now,
    'tester',
  );
  for (const { task, notes } of plan.created) {
    world.tasks.set(task.id, task);
    world.notes.set(task.id, notes);
  }
  for (const { after, notes } of plan.updated) {
    world.tasks.set(after.id, after);
    world.notes.set(after.id, [...(world.notes.get(after.id) ?? []), ...notes]);
  }
  for (const { id, placement } of plan.moved) world.tasks.set(id, applyPlacement(world.tasks.get(id)!, placement));
  for (const { foreignId, taskId, digest } of plan.mappings) world.earlierImports.set(foreignId, { taskId, digest });
  return plan;
}

/** Lists all violations of the rules for tasks. */
function findViolations({ tasks, notes }: World): string[] {
  const links: TaskLinks = { parentOf: new Map(), dependsOf: new Map(), childrenOf: new Map() };
  const violations: string[] = [];
  for (const task of tasks.values()) {
    const { id, parentId } = task;
    const parent = parentId === undefined ? undefined : tasks.get(parentId);
    if (parentId !== undefined && !parent) violations.push(`${id} has a missing parent`);
    if (!canBePlaced(task.type, parent?.type)) violations.push(`${id}: a ${task.type} in a ${parent?.type}`);
    if (parent?.status === 'done' && task.status !== 'done') violations.push(`${id} is open inside a done task`);
    if (task.archivedAt && task.status !== 'done') violations.push(`${id} is archived and open`);
    if ((task.status === 'done') !== (task.completedAt !== undefined)) violations.push(`${id} ${task.status} at ${task.completedAt}`);
    if ((task.status === 'blocked') !== (task.blockedBy !== undefined))
      violations.push(`${id} is ${task.status} because ${task.blockedBy}`);
    for (const on of task.depends) if (!tasks.has(on)) violations.push(`${id} depends on nothing`);
    if (parentId) {
      links.parentOf.set(id, parentId);
      links.childrenOf.set(parentId, [...(links.childrenOf.get(parentId) ?? []), id]);
    }
    links.dependsOf.set(id, task.depends);
    const texts =
      is(Title, task.title) &&
      is(Description, task.description ?? '') &&
      task.labels.every((label) => is(Label, label)) &&
      task.files.every((path) => is(FilePath, path)) &&
      task.acceptance.every(({ text }) => is(Criterion, text)) &&
      (notes.get(id) ?? []).every((note) => is(NoteText, note.text) && is(AgentId, note.by)) &&
      is(AgentId, task.createdBy);
    if (!texts) violations.push(`${id} has an invalid text`);
  }
  const path = findCycle([...tasks.keys()], links);
  return path ? [...violations, `a cycle ${path}`] : violations;
}

const name = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'nowhere');
const words = fc.oneof(
  fc.constantFrom(
    '',
    ' ',
    'Write the parser',
    'x'.repeat(201),
    `${'é'.repeat(150)} ${'👩'.repeat(60)}`,
    'a\0b',
    'one\ntwo',
    '\ud800',
    'T1, T2',
  ),
  fc.string({ unit: 'binary', maxLength: 20 }),
);
const long = fc.oneof({ weight: 9, arbitrary: words }, fc.constantFrom('y'.repeat(8001), `${'line\n'.repeat(4000)}`, '👩'.repeat(5000)));
const time = fc.constantFrom(undefined, '2026-01-02T03:04:05Z', '2025-12-14T10:40:14.872875259-07:00', 'yesterday', '');

const foreignTask: fc.Arbitrary<ForeignTask> = fc
  .record({
    id: name,
    title: words,
    description: fc.option(long, { nil: undefined }),
    status: fc.constantFrom('pending', 'active', 'blocked', 'done'),
    blockedBy: fc.option(words, { nil: undefined }),
    priority: fc.constantFrom(undefined, 'critical', 'low'),
    type: fc.constantFrom(undefined, 'epic', 'task', 'saga'),
    parent: fc.option(name, { nil: undefined }),
    depends: fc.array(name, { maxLength: 4 }),
    related: fc.array(name, { maxLength: 2 }),
    labels: fc.array(words, { maxLength: 2 }),
    acceptance: fc.array(fc.record({ text: long, met: fc.boolean() }), { maxLength: 2 }),
    notes: fc.array(fc.record({ text: long, by: words, at: time }), { maxLength: 2 }),
    files: fc.array(words, { maxLength: 2 }),
    createdAt: time,
    updatedAt: time,
    completedAt: time,
    createdBy: fc.option(words, { nil: undefined }),
    isArchived: fc.boolean(),
  })
  .map((task) => Object.fromEntries(Object.entries(task).filter(([, value]) => value !== undefined)) as unknown as ForeignTask);
const foreign = fc
  .uniqueArray(foreignTask, { selector: ({ id }) => id, maxLength: 9 })
  .map((tasks): ForeignData => ({ source: 'beads', tasks, losses: [] }));

/** Local changes between two imports, each only where operations allow it. */
const edits = ['complete', 'delete', 'add child', 'add dependency', 'rename'] as const;
function edit(world: World, what: (typeof edits)[number], at: number): void {
  const { tasks } = world;
  const task = [...tasks.values()][at % Math.max(1, tasks.size)];
  if (!task) return;
  const all = [...tasks.values()];
  const added: TaskRecord = {
    ...task,
    id: toTaskId(++world.last),
    type: 'task',
    title: 'Added',
    status: 'pending',
    depends: [],
    revision: 1,
  };
  for (const field of ['parentId', 'completedAt', 'archivedAt', 'blockedBy'] as const) delete added[field];
  const isUnreferenced = (id: TaskId): boolean => !all.some(({ parentId, depends }) => parentId === id || depends.includes(id));
  if (what === 'rename') tasks.set(task.id, { ...task, title: 'Renamed' });
  if (what === 'delete' && isUnreferenced(task.id)) tasks.delete(task.id);
  if (what === 'complete' && task.status !== 'blocked' && all.every(({ parentId, status }) => parentId !== task.id || status === 'done'))
    tasks.set(task.id, { ...task, status: 'done', completedAt: task.completedAt ?? now });
  if (what === 'add child' && task.type !== 'subtask' && task.status !== 'done')
    tasks.set(added.id, { ...added, type: getChildTier(task.type), parentId: task.id });
  if (what === 'add dependency' && task.status !== 'done') {
    tasks.set(added.id, added);
    tasks.set(task.id, { ...task, depends: [...task.depends, added.id] });
  }
}
const editList = fc.array(fc.tuple(fc.constantFrom(...edits), fc.nat(20)), { maxLength: 6 });

test('satisfies all rules for any file and changes nothing when it is imported again', () => {
  fc.assert(
    fc.property(foreign, editList, foreign, (first, localEdits, second) => {
      const world = empty();
      runImport(world, first);
      expect(findViolations(world)).toEqual([]);
      expect(runImport(world, first)).toMatchObject({ created: [], updated: [], moved: [], mappings: [], losses: [] });
      for (const [what, at] of localEdits) edit(world, what, at);
      expect(findViolations(world)).toEqual([]);
      const before = structuredClone(world);
      try {
        runImport(world, second);
      } catch (error) {
        // A cycle of local dependencies only cannot be broken, so nothing is imported.
        expect(error).toMatchObject({ code: 'E_CIRCULAR_REFERENCE' });
        expect(world.tasks).toEqual(before.tasks);
        return;
      }
      expect(findViolations(world)).toEqual([]);
      expect(runImport(world, second)).toMatchObject({ created: [], updated: [], moved: [], mappings: [] });
    }),
    { numRuns: 150 },
  );
});

const plain = (id: string, more: Partial<ForeignTask> = {}): ForeignTask => ({
  id,
  title: `Task ${id}`,
  status: 'pending',
  depends: [],
  labels: [],
  acceptance: [],
  notes: [],
  ...more,
});
const file = (...tasks: ForeignTask[]): ForeignData => ({ source: 'beads', tasks, losses: [] });
const chain = (n: number): ForeignTask[] => Array.from({ length: n }, (_, i) => plain(`n${i}`, i > 0 ? { parent: `n${i - 1}` } : {}));
const listTypes = ({ created }: ImportPlan): string[] =>
  created.map(({ task }) => `${task.type}${task.parentId ? ` in ${task.parentId}` : ''}`);

test.each([
  [1, ['task']],
  [2, ['task', 'subtask in T001']],
  [3, ['epic', 'task in T001', 'subtask in T002']],
  [4, ['saga', 'epic in T001', 'task in T002', 'subtask in T003']],
  [6, ['saga', 'epic in T001', 'task in T002', 'subtask in T003', 'subtask in T003', 'subtask in T003']],
])('assigns tiers to %i levels', (levels, types) => {
  const plan = runImport(empty(), file(...chain(levels)));
  expect(listTypes(plan)).toEqual(types);
  expect(plan.losses.filter(({ field }) => field === 'parent')).toHaveLength(Math.max(0, levels - 4));
  expect(plan.relations).toHaveLength(Math.max(0, levels - 4));
});

test('makes the root an epic and flattens deep tasks where a saga would contain an empty epic', () => {
  const plan = runImport(empty(), file(...chain(4), plain('leaf', { parent: 'n0' })));
  expect(listTypes(plan)).toEqual(['epic', 'task in T001', 'subtask in T002', 'subtask in T002', 'task in T001']);
  expect(plan.losses).toEqual([
    { id: 'n3', field: 'parent', why: 'n2 is a subtask and cannot contain tasks; placed next to it, as related' },
  ]);
});

test.each([
  ['an epic with tasks', file(plain('e', { type: 'epic' }), plain('t', { parent: 'e' })), ['epic', 'task in T001']],
  ['an epic of epics', file(plain('s', { type: 'epic' }), plain('e', { type: 'epic', parent: 's' })), ['saga', 'epic in T001']],
  ['a child before its parent', file(plain('t', { parent: 'e' }), plain('e')), ['subtask in T002', 'task']],
])('assigns tiers to %s', (_, given, types) => {
  expect(listTypes(runImport(empty(), given))).toEqual(types);
});

test.each<[string, ForeignTask[], { id: string; field: string }[]]>([
  ['a missing parent', [plain('a', { parent: 'x' })], [{ id: 'a', field: 'parent' }]],
  ['a cycle of parents', [plain('a', { parent: 'b' }), plain('b', { parent: 'a' })], [{ id: 'b', field: 'parent' }]],
  ['a missing dependency', [plain('a', { depends: ['x'] })], [{ id: 'a', field: 'depends' }]],
  ['a dependency on itself', [plain('a', { depends: ['a'] })], [{ id: 'a', field: 'depends' }]],
  ['a cycle of dependencies', [plain('a', { depends: ['b'] }), plain('b', { depends: ['a'] })], [{ id: 'b', field: 'depends' }]],
  ['a dependency on the parent', [plain('a'), plain('b', { parent: 'a', depends: ['a'] })], [{ id: 'b', field: 'depends' }]],
  ['a done task with an open child', [plain('a', { status: 'done' }), plain('b', { parent: 'a' })], [{ id: 'a', field: 'status' }]],
  ['an archived open task', [plain('a', { isArchived: true })], [{ id: 'a', field: 'isArchived' }]],
  ['a long title', [plain('a', { title: 'x'.repeat(201) })], [{ id: 'a', field: 'title' }]],
  ['a long description', [plain('a', { description: 'x'.repeat(9000) })], [{ id: 'a', field: 'description' }]],
  ['a missing title', [plain('a', { title: ' \n ' })], [{ id: 'a', field: 'title' }]],
  ['a label without valid characters', [plain('a', { labels: ['…'] })], [{ id: 'a', field: 'labels' }]],
  ['an invalid time', [plain('a', { createdAt: 'soon' })], [{ id: 'a', field: 'createdAt' }]],
])('reports %s', (_, tasks, losses) => {
  const world = empty();
  expect(runImport(world, file(...tasks)).losses).toMatchObject(losses);
  expect(findViolations(world)).toEqual([]);
});

test('keeps the full text of long titles and descriptions', () => {
  const { created } = runImport(empty(), file(plain('a', { title: 'x'.repeat(300), description: 'y'.repeat(9000) })));
  const [{ task, notes }] = created as [ImportPlan['created'][number]];
  expect(task.title).toBe(`${'x'.repeat(199)}…`);
  expect(task.description + notes.map(({ text }) => text).join('')).toBe(`${'x'.repeat(300)}\n\n${'y'.repeat(9000)}`);
});

test('takes changes from the source and keeps local ones', () => {
  const world = empty();
  runImport(world, file(plain('a', { labels: ['one'] }), plain('b', { depends: ['a'] })));
  const localId = toTaskId(100);
  world.tasks.set(localId, { ...world.tasks.get('T001')!, id: localId });
  world.tasks.set('T001', { ...world.tasks.get('T001')!, title: 'Mine', priority: 'high' });
  world.tasks.set('T002', { ...world.tasks.get('T002')!, depends: ['T001', localId] });
  const plan = runImport(world, file(plain('a', { labels: ['two'] }), plain('b', { depends: [] }), plain('c', { parent: 'a' })));
  expect(world.tasks.get('T001')).toMatchObject({ title: 'Mine', priority: 'high', labels: ['two'] });
  expect(world.tasks.get('T002')).toMatchObject({ depends: [localId] });
  expect(listTypes(plan)).toEqual(['subtask in T001']);
});

test('does not restore a task that was deleted locally', () => {
  const world = empty();
  runImport(world, file(plain('a'), plain('b', { parent: 'a' })));
  world.tasks.delete('T002');
  expect(runImport(world, file(plain('a'), plain('b', { parent: 'a' })))).toMatchObject({ created: [], losses: [] });
  expect(runImport(world, file(plain('a'), plain('b', { parent: 'a', title: 'New' }))).losses).toEqual([
    { id: 'b', field: 'task', why: 'T002 was deleted here; cleo restore T002 brings it back' },
  ]);
  expect(world.tasks.has('T002')).toBe(false);
});

test('reports parents that exceed the sibling limit', () => {
  const many = Array.from({ length: 8 }, (_, i) => plain(`c${i}`, { parent: 'a' }));
  expect(runImport(empty(), file(plain('a'), ...many)).crowdedParents).toEqual(['T001']);
  expect(runImport(empty(), file(plain('a'), ...many.slice(1))).crowdedParents).toEqual([]);
});
