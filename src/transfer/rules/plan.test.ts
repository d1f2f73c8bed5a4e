import fc from 'fast-check';
import { is } from 'valibot';
import { expect, test } from 'vitest';
import { AgentId, Criterion, Description, FilePath, Label, NoteText, type TaskId, Title, taskId } from '#core/model/scalars.ts';
import type { Note, TaskRecord } from '#tasks/model/task.ts';
import { fits, tierBelow } from '#tasks/rules/hierarchy.ts';
import { circle, type Links } from '#tasks/rules/order.ts';
import type { ForeignFile, ForeignTask } from '../model/foreign.ts';
import { draftOf, type Plan, planImport } from './plan.ts';
import { shifted } from './records.ts';
import type { Known } from './scene.ts';

/** What a store would hold after one import or several. */
interface World {
  tasks: Map<TaskId, TaskRecord>;
  notes: Map<TaskId, Note[]>;
  known: Map<string, Known>;
  /** The last id that was given; none is given twice. */
  last: number;
}

const empty = (): World => ({ tasks: new Map(), notes: new Map(), known: new Map(), last: 0 });
const now = '2026-11-15T12:00:00.000Z';

function bring(world: World, file: ForeignFile): Plan {
  const draft = draftOf(file, world.known);
  const count = draft.items.filter(({ known }) => !known).length;
  const ctx = {
    tasks: world.tasks,
    depends: [...world.tasks.values()].flatMap(({ id, depends }) => depends.map((to) => ({ from: id, to }))),
    records: world.tasks,
    notes: world.notes,
    held: new Set<TaskId>(),
    maxSiblings: 7,
  };
  const plan = planImport(
    draft,
    ctx,
    Array.from({ length: count }, () => taskId(++world.last)),
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
  for (const { id, standing } of plan.shifted) world.tasks.set(id, shifted(world.tasks.get(id)!, standing));
  for (const { foreignId, taskId, digest } of plan.remembered) world.known.set(foreignId, { taskId, digest });
  return plan;
}

/** Everything that breaks a rule of ours. */
function broken({ tasks, notes }: World): string[] {
  const links: Links = { parentOf: new Map(), dependsOf: new Map(), childrenOf: new Map() };
  const wrong: string[] = [];
  for (const task of tasks.values()) {
    const { id, parentId } = task;
    const parent = parentId === undefined ? undefined : tasks.get(parentId);
    if (parentId !== undefined && !parent) wrong.push(`${id} is inside nothing`);
    if (!fits(task.type, parent?.type)) wrong.push(`${id}: a ${task.type} in a ${parent?.type}`);
    if (parent?.status === 'done' && task.status !== 'done') wrong.push(`${id} is open in something done`);
    if (task.archivedAt && task.status !== 'done') wrong.push(`${id} is archived and open`);
    if ((task.status === 'done') !== (task.completedAt !== undefined)) wrong.push(`${id} ${task.status} at ${task.completedAt}`);
    if ((task.status === 'blocked') !== (task.blockedBy !== undefined)) wrong.push(`${id} is ${task.status} because ${task.blockedBy}`);
    for (const on of task.depends) if (!tasks.has(on)) wrong.push(`${id} depends on nothing`);
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
    if (!texts) wrong.push(`${id} has a text that none may have`);
  }
  const path = circle([...tasks.keys()], links);
  return path ? [...wrong, `a circle ${path}`] : wrong;
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
  .map((tasks): ForeignFile => ({ source: 'beads', tasks, losses: [] }));

/** What people do here between two imports, each only where our operations allow it. */
const edits = ['complete', 'delete', 'hold more', 'wait for more', 'rename'] as const;
function edit(world: World, what: (typeof edits)[number], at: number): void {
  const { tasks } = world;
  const task = [...tasks.values()][at % Math.max(1, tasks.size)];
  if (!task) return;
  const all = [...tasks.values()];
  const mine: TaskRecord = {
    ...task,
    id: taskId(++world.last),
    type: 'task',
    title: 'Mine',
    status: 'pending',
    depends: [],
    revision: 1,
  };
  for (const field of ['parentId', 'completedAt', 'archivedAt', 'blockedBy'] as const) delete mine[field];
  const isClear = (id: TaskId): boolean => !all.some((one) => one.parentId === id || one.depends.includes(id));
  if (what === 'rename') tasks.set(task.id, { ...task, title: 'Renamed' });
  if (what === 'delete' && isClear(task.id)) tasks.delete(task.id);
  if (what === 'complete' && task.status !== 'blocked' && all.every((one) => one.parentId !== task.id || one.status === 'done'))
    tasks.set(task.id, { ...task, status: 'done', completedAt: task.completedAt ?? now });
  if (what === 'hold more' && task.type !== 'subtask' && task.status !== 'done')
    tasks.set(mine.id, { ...mine, type: tierBelow(task.type), parentId: task.id });
  if (what === 'wait for more' && task.status !== 'done') {
    tasks.set(mine.id, mine);
    tasks.set(task.id, { ...task, depends: [...task.depends, mine.id] });
  }
}
const edited = fc.array(fc.tuple(fc.constantFrom(...edits), fc.nat(20)), { maxLength: 6 });

test('whatever a file holds, the tasks keep every rule; the same file again changes nothing', () => {
  fc.assert(
    fc.property(foreign, edited, foreign, (first, ctx, second) => {
      const world = empty();
      bring(world, first);
      expect(broken(world)).toEqual([]);
      expect(bring(world, first)).toMatchObject({ created: [], updated: [], shifted: [], remembered: [], losses: [] });
      for (const [what, at] of ctx) edit(world, what, at);
      expect(broken(world)).toEqual([]);
      const before = structuredClone(world);
      try {
        bring(world, second);
      } catch (error) {
        // A circle through what was added here alone is nobody's to cut: nothing is imported.
        expect(error).toMatchObject({ code: 'E_CIRCULAR_REFERENCE' });
        expect(world.tasks).toEqual(before.tasks);
        return;
      }
      expect(broken(world)).toEqual([]);
      expect(bring(world, second)).toMatchObject({ created: [], updated: [], shifted: [], remembered: [] });
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
const file = (...tasks: ForeignTask[]): ForeignFile => ({ source: 'beads', tasks, losses: [] });
const chain = (n: number): ForeignTask[] => Array.from({ length: n }, (_, i) => plain(`n${i}`, i > 0 ? { parent: `n${i - 1}` } : {}));
const typesOf = ({ created }: Plan): string[] => created.map(({ task }) => `${task.type}${task.parentId ? ` in ${task.parentId}` : ''}`);

test.each([
  [1, ['task']],
  [2, ['task', 'subtask in T001']],
  [3, ['epic', 'task in T001', 'subtask in T002']],
  [4, ['saga', 'epic in T001', 'task in T002', 'subtask in T003']],
  [6, ['saga', 'epic in T001', 'task in T002', 'subtask in T003', 'subtask in T003', 'subtask in T003']],
])('%i levels', (levels, types) => {
  const plan = bring(empty(), file(...chain(levels)));
  expect(typesOf(plan)).toEqual(types);
  expect(plan.losses.filter(({ field }) => field === 'parent')).toHaveLength(Math.max(0, levels - 4));
  expect(plan.relations).toHaveLength(Math.max(0, levels - 4));
});

test('a saga would make an epic of a task that nothing is inside of: then the top is an epic, and what is too deep stands higher', () => {
  const plan = bring(empty(), file(...chain(4), plain('leaf', { parent: 'n0' })));
  expect(typesOf(plan)).toEqual(['epic', 'task in T001', 'subtask in T002', 'subtask in T002', 'task in T001']);
  expect(plan.losses).toEqual([
    { id: 'n3', field: 'parent', why: 'n2 is a subtask, which holds nothing: it stands beside it, as related' },
  ]);
});

test.each([
  ['an epic with tasks', file(plain('e', { type: 'epic' }), plain('t', { parent: 'e' })), ['epic', 'task in T001']],
  ['an epic of epics', file(plain('s', { type: 'epic' }), plain('e', { type: 'epic', parent: 's' })), ['saga', 'epic in T001']],
  ['a child before its parent', file(plain('t', { parent: 'e' }), plain('e')), ['subtask in T002', 'task']],
])('%s', (_, given, types) => {
  expect(typesOf(bring(empty(), given))).toEqual(types);
});

test.each<[string, ForeignTask[], { id: string; field: string }[]]>([
  ['a parent that is not there', [plain('a', { parent: 'x' })], [{ id: 'a', field: 'parent' }]],
  ['inside each other', [plain('a', { parent: 'b' }), plain('b', { parent: 'a' })], [{ id: 'b', field: 'parent' }]],
  ['a dependency that is not there', [plain('a', { depends: ['x'] })], [{ id: 'a', field: 'depends' }]],
  ['a dependency on itself', [plain('a', { depends: ['a'] })], [{ id: 'a', field: 'depends' }]],
  ['a circle', [plain('a', { depends: ['b'] }), plain('b', { depends: ['a'] })], [{ id: 'b', field: 'depends' }]],
  ['a dependency on what is around it', [plain('a'), plain('b', { parent: 'a', depends: ['a'] })], [{ id: 'b', field: 'depends' }]],
  ['done around something open', [plain('a', { status: 'done' }), plain('b', { parent: 'a' })], [{ id: 'a', field: 'status' }]],
  ['archived and open', [plain('a', { isArchived: true })], [{ id: 'a', field: 'isArchived' }]],
  ['a long title', [plain('a', { title: 'x'.repeat(201) })], [{ id: 'a', field: 'title' }]],
  ['a long description', [plain('a', { description: 'x'.repeat(9000) })], [{ id: 'a', field: 'description' }]],
  ['no title', [plain('a', { title: ' \n ' })], [{ id: 'a', field: 'title' }]],
  ['a label of nothing that a label holds', [plain('a', { labels: ['…'] })], [{ id: 'a', field: 'labels' }]],
  ['no time', [plain('a', { createdAt: 'soon' })], [{ id: 'a', field: 'createdAt' }]],
])('%s is reported', (_, tasks, losses) => {
  const world = empty();
  expect(bring(world, file(...tasks)).losses).toMatchObject(losses);
  expect(broken(world)).toEqual([]);
});

test('what is too long is kept whole', () => {
  const { created } = bring(empty(), file(plain('a', { title: 'x'.repeat(300), description: 'y'.repeat(9000) })));
  const [{ task, notes }] = created as [Plan['created'][number]];
  expect(task.title).toBe(`${'x'.repeat(199)}…`);
  expect(task.description + notes.map(({ text }) => text).join('')).toBe(`${'x'.repeat(300)}\n\n${'y'.repeat(9000)}`);
});

test('again: what changed over there is taken, what changed only here stays', () => {
  const world = empty();
  bring(world, file(plain('a', { labels: ['one'] }), plain('b', { depends: ['a'] })));
  const mine = taskId(100);
  world.tasks.set(mine, { ...world.tasks.get('T001')!, id: mine });
  world.tasks.set('T001', { ...world.tasks.get('T001')!, title: 'Mine', priority: 'high' });
  world.tasks.set('T002', { ...world.tasks.get('T002')!, depends: ['T001', mine] });
  const plan = bring(world, file(plain('a', { labels: ['two'] }), plain('b', { depends: [] }), plain('c', { parent: 'a' })));
  expect(world.tasks.get('T001')).toMatchObject({ title: 'Mine', priority: 'high', labels: ['two'] });
  expect(world.tasks.get('T002')).toMatchObject({ depends: [mine] });
  expect(typesOf(plan)).toEqual(['subtask in T001']);
});

test('what was deleted here stays so', () => {
  const world = empty();
  bring(world, file(plain('a'), plain('b', { parent: 'a' })));
  world.tasks.delete('T002');
  expect(bring(world, file(plain('a'), plain('b', { parent: 'a' })))).toMatchObject({ created: [], losses: [] });
  expect(bring(world, file(plain('a'), plain('b', { parent: 'a', title: 'New' }))).losses).toEqual([
    { id: 'b', field: 'task', why: 'T002 was deleted here; cleo restore T002 brings it back' },
  ]);
  expect(world.tasks.has('T002')).toBe(false);
});

test('what one may not have put there by hand is told', () => {
  const many = Array.from({ length: 8 }, (_, i) => plain(`c${i}`, { parent: 'a' }));
  expect(bring(empty(), file(plain('a'), ...many)).crowded).toEqual(['T001']);
  expect(bring(empty(), file(plain('a'), ...many.slice(1))).crowded).toEqual([]);
});
