import { expect, test } from 'vitest';
import type { SessionHandle } from '#core/model/session-handle.ts';
import type { TaskRecord } from '#tasks/model/task.ts';
import type { TaskLinks } from '#tasks/rules/order.ts';
import { createTaskRecord } from '../../../test/task-record.ts';
import { findGraphErrors, type GraphFacts } from './workgraph-check.ts';
import { parseGraph } from './workgraph-parse.ts';
import { resolveGraph } from './workgraph-resolve.ts';

const task = (id: string, type: TaskRecord['type'], more: Partial<TaskRecord> = {}): TaskRecord =>
  createTaskRecord(id, { type, title: id, revision: 3, ...more });

const world = [
  task('T001', 'epic'),
  task('T002', 'task', { parentId: 'T001' }),
  task('T003', 'subtask', { parentId: 'T002', depends: ['T004'] }),
  task('T004', 'task', { parentId: 'T001' }),
  task('T005', 'epic', { status: 'done' }),
  task('T006', 'task', { parentId: 'T001', startedAt: 'x', acceptance: [{ kind: 'text', text: 'a' }] }),
  task('T007', 'saga'),
  task('T008', 'task', { status: 'done' }),
  task('T009', 'task'),
];
const relations = [{ from: 'T009', to: 'T001', type: 'related' }];
const claims: GraphFacts['claims'] = [{ taskId: 'T004', agent: 'ben', claimedAt: 'x', focusedAt: 'x', renewedAt: 'x', state: 'present' }];

/** Checks a payload against the world and returns `pointer code` lines. */
function findErrors(payload: unknown, { maxSiblings = 7, scope }: { maxSiblings?: number; scope?: string } = {}): string[] {
  const tasks = new Map(world.map((one) => [one.id, one]));
  const { graph, findings: read } = parseGraph(payload);
  const resolved = resolveGraph(graph, tasks, scope ? tasks.get(scope) : undefined);
  const planned = new Map([...resolved.created, ...resolved.updated].map((one) => [one.key, one]));
  const links: TaskLinks = { parentOf: new Map(), dependsOf: new Map(), childrenOf: new Map() };
  for (const [id, one] of [...tasks, ...planned]) {
    const { parentId, depends } = planned.get(id) ?? one;
    if (resolved.deleted.has(id)) continue;
    links.dependsOf.set(id, depends);
    if (!parentId) continue;
    links.parentOf.set(id, parentId);
    links.childrenOf.set(parentId, [...(links.childrenOf.get(parentId) ?? []), id]);
  }
  const children = world.flatMap(({ id, parentId }) => (parentId ? [{ from: parentId, to: id }] : []));
  const session: SessionHandle | undefined = scope
    ? { id: 'session-1', scope: { kind: 'epic', root: scope }, status: 'active', isGraded: false }
    : undefined;
  const facts: GraphFacts = {
    tasks,
    children,
    openChildren: children.filter(({ to }) => tasks.get(to)?.status !== 'done'),
    dependents: world.flatMap(({ id, depends }) => depends.map((on) => ({ from: on, to: id }))),
    relations,
    claims,
    links,
    maxSiblings,
    session,
  };
  return [...read, ...resolved.findings, ...findGraphErrors(resolved, facts)].map(({ pointer, code }) => `${pointer} ${code}`).sort();
}

const graph = (more: object) => ({ version: 1, ...more });
const createGraph = (...create: object[]) => graph({ create: create.map((one) => ({ title: 'x', ...one })) });

test.each<[string, unknown, string[]]>([
  ['an empty payload is valid', graph({}), []],
  [
    'a payload whose entries refer to each other is valid',
    createGraph({ ref: 'a', parent: 'T001' }, { parent: 'a', depends: ['T002'] }),
    [],
  ],
  ['a payload that is not an object', [], [' E_INVALID_INPUT']],
  ['another version', { version: 2 }, ['/version E_INVALID_INPUT']],
  ['no version', {}, ['/version E_INVALID_INPUT']],
  ['an unknown section', graph({ creates: [] }), ['/creates E_INVALID_INPUT']],
  ['a section that is not a list', graph({ create: {} }), ['/create E_INVALID_INPUT']],
  [
    'every invalid field of every entry',
    graph({ create: [{ title: 7, type: 'story' }, 'x'], update: [{ id: 'one', size: 'huge' }], delete: ['x'] }),
    [
      '/create/0/title E_INVALID_INPUT',
      '/create/0/type E_INVALID_INPUT',
      '/create/1 E_INVALID_INPUT',
      '/delete/0 E_INVALID_INPUT',
      '/update/0/id E_INVALID_INPUT',
      '/update/0/size E_INVALID_INPUT',
    ],
  ],
  ['an unknown field, with its name escaped', createGraph({ 'a/b~c': 1 }), ['/create/0/a~1b~0c E_INVALID_INPUT']],
  [
    'invalid values',
    createGraph({ title: 'x'.repeat(201), labels: ['ok', 'NO'] }),
    ['/create/0/labels/1 E_VALIDATION_LABELS', '/create/0/title E_VALIDATION_TITLE'],
  ],
  [
    'the ref of an invalid entry can still be used',
    createGraph({ ref: 'a', parent: 'T001', title: 1 }, { parent: 'T001', depends: ['a'] }),
    ['/create/0/title E_INVALID_INPUT'],
  ],
  ['a duplicate ref', createGraph({ ref: 'a' }, { ref: 'a' }), ['/create/1/ref E_ID_COLLISION']],
  [
    'an id that is named twice',
    graph({ update: [{ id: 'T9' }, { id: 'T009' }], delete: ['T9'] }),
    ['/delete/0 E_INVALID_INPUT', '/update/0/id E_INVALID_INPUT', '/update/1 E_INVALID_INPUT', '/update/1/id E_INVALID_INPUT'],
  ],
  [
    'unknown refs and ids',
    graph({
      create: [
        { title: 'x', parent: 'nobody', depends: ['T404', 'gone'] },
        { title: 'x', parent: 'T405' },
      ],
      update: [{ id: 'T406' }, { id: 'T009', addDepends: ['T407'] }],
      delete: ['T408'],
      relations: [{ from: 'T009', to: 'T409', type: 'related', reason: 'r' }],
    }),
    [
      '/create/0/depends/0 E_NOT_FOUND',
      '/create/0/depends/1 E_INVALID_INPUT',
      '/create/0/parent E_INVALID_INPUT',
      '/create/1/parent E_PARENT_NOT_FOUND',
      '/delete/0 E_NOT_FOUND',
      '/relations/0/to E_NOT_FOUND',
      '/update/0/id E_NOT_FOUND',
      '/update/1/addDepends/0 E_NOT_FOUND',
    ],
  ],
  [
    'a cycle of new dependencies',
    createGraph({ ref: 'a', depends: ['b'] }, { ref: 'b', depends: ['c'] }, { ref: 'c', depends: ['a'] }),
    ['/create/0/depends/0 E_CIRCULAR_REFERENCE'],
  ],
  [
    'two cycles',
    createGraph({ ref: 'a', depends: ['a'] }, { ref: 'b', depends: ['c'] }, { ref: 'c', depends: ['b'] }),
    ['/create/0/depends/0 E_CIRCULAR_REFERENCE', '/create/1/depends/0 E_CIRCULAR_REFERENCE'],
  ],
  [
    'a cycle through existing tasks',
    graph({ update: [{ id: 'T004', addDepends: ['T002'] }] }),
    ['/update/0/addDepends/0 E_CIRCULAR_REFERENCE'],
  ],
  [
    'entries that contain each other',
    createGraph({ ref: 'a', parent: 'b', type: 'task' }, { ref: 'b', parent: 'a', type: 'subtask' }),
    ['/create/0/parent E_CIRCULAR_REFERENCE', '/create/0/parent E_INVALID_PARENT_TYPE'],
  ],
  [
    'a fourth level',
    createGraph({ ref: 'a', parent: 'T001' }, { ref: 'b', parent: 'a' }, { ref: 'c', parent: 'b' }),
    ['/create/2/parent E_DEPTH_EXCEEDED'],
  ],
  [
    'a type that its parent cannot contain',
    createGraph({ type: 'subtask', parent: 'T001' }, { type: 'saga', parent: 'T001' }),
    ['/create/0/parent E_INVALID_PARENT_TYPE', '/create/1/parent E_INVALID_PARENT_TYPE'],
  ],
  ['a subtask at the top level', createGraph({ type: 'subtask' }), ['/create/0 E_INVALID_PARENT_TYPE']],
  ['a parent that is done', createGraph({ parent: 'T005' }), ['/create/0/parent E_TASK_COMPLETED']],
  [
    'a new type that cannot contain the children',
    graph({ update: [{ id: 'T002', type: 'epic', parent: 'none' }] }),
    ['/update/0/parent E_INVALID_PARENT_TYPE'],
  ],
  [
    'a child that moves out in the same payload does not count',
    graph({
      update: [
        { id: 'T002', type: 'epic', parent: 'none' },
        { id: 'T003', type: 'task', parent: 'T002' },
      ],
    }),
    [],
  ],
  ['moving a task that is claimed', graph({ update: [{ id: 'T004', parent: 'none' }] }), ['/update/0 E_TASK_CLAIMED']],
  ['renaming a task that is claimed is allowed', graph({ update: [{ id: 'T004', title: 'New' }] }), []],
  [
    'deleting a task that is claimed and has a dependent',
    graph({ delete: ['T004'] }),
    ['/delete/0 E_HAS_DEPENDENTS', '/delete/0 E_TASK_CLAIMED'],
  ],
  ['deleting a task with a child', graph({ delete: ['T002'] }), ['/delete/0 E_HAS_CHILDREN']],
  ['deleting a task together with its child is allowed', graph({ delete: ['T002', 'T003'] }), []],
  ['deleting a task whose child moves away is allowed', graph({ update: [{ id: 'T003', parent: 'T009' }], delete: ['T002'] }), []],
  ['deleting a task that is done', graph({ delete: ['T008'] }), ['/delete/0 E_TASK_COMPLETED']],
  [
    'a dependency on a deleted task',
    graph({ create: [{ title: 'x', depends: ['T009'] }], delete: ['T009'] }),
    ['/create/0/depends/0 E_INVALID_INPUT'],
  ],
  ['an old revision', graph({ update: [{ id: 'T009', expectRevision: 2 }] }), ['/update/0/expectRevision E_CONCURRENT_MODIFICATION']],
  [
    'changing the criteria of a started task',
    graph({ update: [{ id: 'T006', acceptance: ['b'] }] }),
    ['/update/0/acceptance E_VALIDATION_FROZEN'],
  ],
  ['changing the criteria with a reason is allowed', graph({ update: [{ id: 'T006', acceptance: ['b'], reason: 'r' }] }), []],
  [
    'a relation of a task to itself',
    graph({ relations: [{ from: 'T009', to: 'T009', type: 'fixes', reason: 'r' }] }),
    ['/relations/0 E_CIRCULAR_REFERENCE'],
  ],
  [
    'a relation with the parent',
    graph({ relations: [{ from: 'T002', to: 'T001', type: 'fixes', reason: 'r' }] }),
    ['/relations/0 E_INVALID_RELATION'],
  ],
  [
    'a relation with the new parent',
    graph({ create: [{ ref: 'a', title: 'x', parent: 'T009' }], relations: [{ from: 'T009', to: 'a', type: 'fixes', reason: 'r' }] }),
    ['/relations/0 E_INVALID_RELATION'],
  ],
  ['moving below a related task', graph({ update: [{ id: 'T009', parent: 'T001' }] }), ['/update/0/parent E_INVALID_RELATION']],
  [
    'moving below a related task while removing the relation is allowed',
    graph({ update: [{ id: 'T009', parent: 'T001' }], relations: [{ from: 'T009', to: 'T001', remove: true }] }),
    [],
  ],
  [
    'a relation without type and reason',
    graph({ relations: [{ from: 'T009', to: 'T002' }] }),
    ['/relations/0/reason E_INVALID_INPUT', '/relations/0/type E_INVALID_INPUT'],
  ],
])('%s', (_, payload, expected) => {
  expect(findErrors(payload)).toEqual(expected);
});

test('the sibling limit counts the final children', () => {
  const two = [
    { title: 'x', parent: 'T001' },
    { title: 'x', parent: 'T001' },
  ];
  expect(findErrors(graph({ create: two }), { maxSiblings: 4 })).toEqual(['/create/1/parent E_SIBLING_LIMIT']);
  expect(findErrors(graph({ create: two, update: [{ id: 'T006', parent: 'none' }] }), { maxSiblings: 4 })).toEqual([]);
  expect(
    findErrors(graph({ create: two, update: [{ id: 'T009', parent: 'T001' }], relations: [{ from: 'T009', to: 'T001', remove: true }] }), {
      maxSiblings: 4,
    }),
  ).toEqual(['/create/0/parent E_SIBLING_LIMIT', '/create/1/parent E_SIBLING_LIMIT']);
  const epics = Array.from({ length: 9 }, () => ({ title: 'x', type: 'epic', parent: 'T007' }));
  expect(findErrors(graph({ create: epics }), { maxSiblings: 4 })).toEqual([]);
});

test('reports each entry outside the scope of the session', () => {
  const payload = graph({
    create: [{ title: 'x' }, { title: 'x', type: 'epic' }, { title: 'x', parent: 'T009' }],
    update: [
      { id: 'T009', title: 'x' },
      { id: 'T006', parent: 'none' },
      { id: 'T002', title: 'x' },
    ],
    delete: ['T007'],
  });
  expect(findErrors(payload, { scope: 'T001' })).toEqual([
    '/create/1 E_TASK_NOT_IN_SCOPE',
    '/create/2/parent E_TASK_NOT_IN_SCOPE',
    '/delete/0 E_TASK_NOT_IN_SCOPE',
    '/update/0 E_TASK_NOT_IN_SCOPE',
    '/update/1/parent E_TASK_NOT_IN_SCOPE',
  ]);
});

test('suggests a field for a typo', () => {
  expect(parseGraph(createGraph({ acceptence: [] })).findings).toEqual([
    { pointer: '/create/0/acceptence', code: 'E_INVALID_INPUT', message: 'is not a known field; did you mean acceptance?' },
  ]);
});

test('checks a chain and a cycle of ten thousand entries without stack overflow', () => {
  const chain = Array.from({ length: 10_000 }, (_, i) => ({ title: 'x', ref: `r${i}`, ...(i ? { depends: [`r${i - 1}`] } : {}) }));
  expect(findErrors(graph({ create: chain }))).toEqual([]);
  expect(findErrors(graph({ create: chain.with(0, { title: 'x', ref: 'r0', depends: ['r9999'] }) }))).toHaveLength(1);
  const nest = Array.from({ length: 10_000 }, (_, i) => ({ title: 'x', ref: `r${i}`, ...(i ? { parent: `r${i - 1}` } : {}) }));
  expect(findErrors(graph({ create: nest })).length).toBeGreaterThan(9_900);
});
