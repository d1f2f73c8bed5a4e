import fc from 'fast-check';
import { is } from 'valibot';
import { expect, test } from 'vitest';
import { type TaskId, toTaskId } from '#core/model/scalars.ts';
import { Label } from '#core/model/search-texts.ts';
import { Criterion, Description, FilePath, NoteText, Title } from '#core/model/texts.ts';
import type { Note, TaskRecord } from '#tasks/model/task.ts';
import { Assignee } from '#tasks/model/task-fields.ts';
import { canBePlaced, getChildTier } from '#tasks/rules/hierarchy.ts';
import { findCycle, type TaskLinks } from '#tasks/rules/order.ts';
import type { ForeignData, ForeignTask } from '../model/foreign.ts';
import type { KnownImport } from '../model/known-import.ts';
import { diffDigests, digestRecord, digestTask, formatBase, noFields } from './import-base.ts';
import { createImportDraft, type ImportDraft, toEarlierImport } from './import-draft.ts';
import type { ImportConflict } from './import-state.ts';
import { type ImportPlan, isImportedRelation, planImport } from './plan.ts';
import { applyPlacement, createRecord, listNewNotes, mergeRecord } from './records.ts';
import { type ConflictPolicy, choosePreferred } from './three-way.ts';

/** The contents of a store after one or several imports. */
interface World {
  tasks: Map<TaskId, TaskRecord>;
  notes: Map<TaskId, Note[]>;
  earlierImports: Map<string, KnownImport>;
  relations: Map<string, string>;
  /** The highest id so far; no id is assigned twice. */
  last: number;
}

const empty = (): World => ({ tasks: new Map(), notes: new Map(), earlierImports: new Map(), relations: new Map(), last: 0 });
const now = '2026-11-15T12:00:00.000Z';
const source = 'beads';

interface ImportRun extends ImportPlan {
  records: TaskRecord[];
  /** Tasks of the file that were written. */
  saved: TaskRecord[];
  conflicts: ImportConflict[];
}

/** Does to a world what the operation does to a store. */
function runImport(world: World, file: ForeignData, policy: ConflictPolicy = 'newer'): ImportRun {
  for (const known of world.earlierImports.values()) {
    const { current: _, ...rest } = known;
    const task = world.tasks.get(known.taskId);
    Object.assign(known, task ? { current: { ...task } } : { current: undefined }, rest);
  }
  const reading = createImportDraft(
    { ...file, losses: [...file.losses] },
    new Map([...world.earlierImports].map(([id, known]) => [id, { ...toEarlierImport(known), base: known.base }])),
  );
  let step = reading.next();
  while (!step.done) step = reading.next();
  const draft = step.value;
  for (const item of draft.items) {
    const record = item.earlier && world.tasks.get(item.earlier.taskId);
    const base = draft.parseBase(item);
    if (record && !item.earlier?.isUntouched)
      item.local = { changed: diffDigests(base?.ours, digestRecord(record)), updatedAt: record.updatedAt, hasEvidence: false };
  }
  const snapshot = {
    tasks: world.tasks,
    depends: [...world.tasks.values()].flatMap(({ id, depends }) => depends.map((to) => ({ from: id, to }))),
    heldIds: new Set<TaskId>(),
    maxSiblings: 7,
    requiresEvidence: false,
  };
  const count = draft.items.filter(({ earlier }) => !earlier).length;
  const ids = Array.from({ length: count }, () => toTaskId(++world.last));
  if (draft.isOlder) return { ...planImport({ ...draft, items: [] }, snapshot, [], { policy, takesTimes: true }), records: [], saved: [] };
  const plan = planImport(draft, snapshot, ids, { policy, takesTimes: true });
  const isImported = (id: string): boolean => draft.items.some((item) => item.id === id) || world.earlierImports.has(id);
  const tasks = new Map([...draft.readTasks([...plan.created, ...plan.updated])].map(({ item, task }) => [item.taskId, task]));
  const remember = (draft: ImportDraft, node: ImportPlan['created'][number], record: TaskRecord, before?: TaskRecord): void => {
    const task = tasks.get(node.taskId)!;
    const { takesStatus } = plan.placements.get(node.taskId)!;
    const earlier = before && { before, changedHere: node.local?.changed ?? noFields, base: draft.parseBase(node), takesStatus };
    world.earlierImports.set(node.id, { taskId: record.id, base: formatBase(task, digestTask(task, isImported), record, earlier) });
  };
  const records = plan.created.map((node) => {
    const task = tasks.get(node.taskId)!;
    const record = createRecord(
      { id: node.taskId, uid: node.taskId, source, now, agent: 'tester' },
      task,
      plan.placements.get(node.taskId)!,
    );
    world.notes.set(record.id, listNewNotes(task, [], now, 'tester'));
    return record;
  });
  const conflicts = [...plan.conflicts];
  const saved = plan.updated.flatMap((node) => {
    const before = world.tasks.get(node.taskId)!;
    const task = tasks.get(node.taskId)!;
    const base = draft.parseBase(node);
    const { after, conflicts: found } = mergeRecord(before, task, plan.placements.get(node.taskId)!, {
      ...(base ? { base } : {}),
      changedHere: node.local?.changed ?? noFields,
      changedThere: node.changed,
      preferred: choosePreferred(policy, node.local?.updatedAt, node.updatedAt),
      now,
      agent: 'tester',
    });
    for (const conflict of found) conflicts.push({ id: node.id, taskId: node.taskId, ...conflict });
    const notes = listNewNotes(task, world.notes.get(node.taskId) ?? [], now, 'tester');
    world.notes.set(node.taskId, [...(world.notes.get(node.taskId) ?? []), ...notes]);
    const isSame = JSON.stringify(before, Object.keys(after).sort()) === JSON.stringify(after, Object.keys(after).sort());
    const isSaved = digestRecord(before) !== digestRecord(after) || !isSame;
    const record = isSaved ? { ...after, revision: before.revision + 1 } : before;
    world.tasks.set(record.id, record);
    remember(draft, node, record, before);
    return isSaved && digestRecord(before) !== digestRecord(after) ? [record] : [];
  });
  for (const record of records) world.tasks.set(record.id, record);
  for (const [i, node] of plan.created.entries()) remember(draft, node, records[i]!);
  for (const { id, placement } of plan.moved) world.tasks.set(id, applyPlacement(world.tasks.get(id)!, placement));
  for (const [pair, reason] of world.relations) {
    const [from = '', to = ''] = pair.split(' ');
    const isContained = world.tasks.get(from)?.parentId === to || world.tasks.get(to)?.parentId === from;
    const isDropped = isImportedRelation({ type: 'related', reason }, source) && !plan.isRelated(from, to);
    if (isContained || (isDropped && plan.updated.some(({ taskId }) => taskId === from))) world.relations.delete(pair);
  }
  for (const { from, to, reason } of plan.relations)
    if (!world.relations.has(`${from} ${to}`) && !world.relations.has(`${to} ${from}`)) world.relations.set(`${from} ${to}`, reason);
  return { ...plan, records, saved, conflicts };
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
      (notes.get(id) ?? []).every((note) => is(NoteText, note.text) && is(Assignee, note.by)) &&
      is(Assignee, task.createdBy);
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
  .map((tasks): ForeignData => ({ source, tasks, losses: [], memories: [], deletedIds: [] }));

/** Local changes between two imports, each only where operations allow it. */
const edits = ['complete', 'delete', 'add child', 'add dependency', 'rename'] as const;
function edit(world: World, what: (typeof edits)[number], at: number): void {
  const { tasks } = world;
  const touch = (task: TaskRecord): void => void tasks.set(task.id, { ...task, revision: task.revision + 1, updatedAt: now });
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
  for (const field of ['parentId', 'completedAt', 'archivedAt', 'blockedBy', 'resolution'] as const) delete added[field];
  const isUnreferenced = (id: TaskId): boolean => !all.some(({ parentId, depends }) => parentId === id || depends.includes(id));
  if (what === 'rename') touch({ ...task, title: 'Renamed' });
  if (what === 'delete' && isUnreferenced(task.id)) tasks.delete(task.id);
  if (what === 'complete' && task.status !== 'blocked' && all.every(({ parentId, status }) => parentId !== task.id || status === 'done'))
    touch({ ...task, status: 'done', resolution: 'done', completedAt: task.completedAt ?? now });
  if (what === 'add child' && task.type !== 'subtask' && task.status !== 'done')
    tasks.set(added.id, { ...added, type: getChildTier(task.type), parentId: task.id });
  if (what === 'add dependency' && task.status !== 'done') {
    tasks.set(added.id, added);
    touch({ ...task, depends: [...task.depends, added.id] });
  }
}
const editList = fc.array(fc.tuple(fc.constantFrom(...edits), fc.nat(20)), { maxLength: 6 });

test('satisfies all rules for any file and changes nothing when it is imported again', () => {
  fc.assert(
    fc.property(foreign, editList, foreign, (first, localEdits, second) => {
      const world = empty();
      runImport(world, first);
      expect(findViolations(world)).toEqual([]);
      expect(runImport(world, first)).toMatchObject({ created: [], saved: [], moved: [], losses: [], conflicts: [] });
      for (const [what, at] of localEdits) edit(world, what, at);
      expect(findViolations(world)).toEqual([]);
      runImport(world, second);
      expect(findViolations(world)).toEqual([]);
      expect(runImport(world, second)).toMatchObject({ created: [], saved: [], moved: [] });
    }),
    { numRuns: 150 },
  );
});

/** The tasks of a world by their ids in the source, without what the first import of a file cannot have. */
function digestWorld({ tasks, earlierImports, relations }: World, file: ForeignData): Record<string, unknown> {
  const sourceIds = new Map([...earlierImports].map(([id, { taskId }]) => [taskId, id]));
  const name = (id: TaskId): string => sourceIds.get(id) ?? id;
  const inFile = new Set(file.tasks.map(({ id }) => id));
  const entries = [...earlierImports].flatMap(([id, { taskId }]) => {
    const task = tasks.get(taskId);
    if (!task || !inFile.has(id)) return [];
    const { id: _, uid: __, revision: ___, createdAt: ____, createdBy: _____, updatedAt: ______, startedAt: _______, ...rest } = task;
    return [[id, { ...rest, parentId: task.parentId && name(task.parentId), depends: task.depends.map(name).sort() }] as const];
  });
  const pairs = [...relations.keys()].map((pair) => pair.split(' ').map(name).sort().join(' ')).sort();
  return { ...Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1))), relations: pairs };
}

test('a second import gives the same as a first import of the last version', () => {
  const all = fc.tuple(foreign, foreign).map(([first, second]): [ForeignData, ForeignData] => {
    // The same set of records and no times, so that no version is older than the other.
    const withoutTimes = (file: ForeignData): ForeignData => ({
      ...file,
      tasks: file.tasks.map(({ createdAt: _, updatedAt: __, completedAt: ___, ...task }) => ({ ...task, notes: [] })),
    });
    const ids = new Set(second.tasks.map(({ id }) => id));
    return [withoutTimes({ ...first, tasks: first.tasks.filter(({ id }) => ids.has(id)) }), withoutTimes(second)];
  });
  fc.assert(
    fc.property(all, ([first, second]) => {
      const [twice, once] = [empty(), empty()];
      runImport(twice, first);
      runImport(twice, second);
      runImport(once, second);
      expect(digestWorld(twice, second)).toEqual(digestWorld(once, second));
    }),
    { numRuns: 300 },
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
const file = (...tasks: ForeignTask[]): ForeignData => ({ source, tasks, losses: [], memories: [], deletedIds: [] });
const chain = (n: number): ForeignTask[] => Array.from({ length: n }, (_, i) => plain(`n${i}`, i > 0 ? { parent: `n${i - 1}` } : {}));
const listTypes = ({ records }: ImportRun): string[] => records.map((task) => `${task.type}${task.parentId ? ` in ${task.parentId}` : ''}`);

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
  const world = empty();
  const [task] = runImport(world, file(plain('a', { title: 'x'.repeat(300), description: 'y'.repeat(9000) }))).records as [TaskRecord];
  const notes = world.notes.get(task.id)!;
  expect(task.title).toBe(`${'x'.repeat(199)}…`);
  expect(task.description + notes.map(({ text }) => text).join('')).toBe(`${'x'.repeat(300)}\n\n${'y'.repeat(9000)}`);
});

test('takes changes from the source and keeps local ones', () => {
  const world = empty();
  runImport(world, file(plain('a', { labels: ['one'] }), plain('b', { depends: ['a'] })));
  const localId = toTaskId(100);
  world.tasks.set(localId, { ...world.tasks.get('T001')!, id: localId });
  world.tasks.set('T001', { ...world.tasks.get('T001')!, title: 'Mine', priority: 'high', revision: 2 });
  world.tasks.set('T002', { ...world.tasks.get('T002')!, depends: ['T001', localId], revision: 2 });
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
