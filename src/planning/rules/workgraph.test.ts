import { expect, test } from 'vitest';
import type { Claim } from '#core/model/audit.ts';
import type { SessionHandle } from '#core/model/session-handle.ts';
import type { TaskRecord } from '#tasks/model/task.ts';
import type { Links } from '#tasks/rules/order.ts';
import { type GraphFacts, judgeGraph } from './workgraph.ts';
import { readGraph } from './workgraph-read.ts';
import { resolveGraph } from './workgraph-resolve.ts';

const task = (id: string, type: TaskRecord['type'], more: Partial<TaskRecord> = {}): TaskRecord => ({
  id,
  type,
  title: id,
  status: 'pending',
  priority: 'medium',
  labels: [],
  depends: [],
  acceptance: [],
  files: [],
  createdAt: 'x',
  createdBy: 'x',
  updatedAt: 'x',
  revision: 3,
  ...more,
});

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
const claims: Claim[] = [{ taskId: 'T004', agent: 'ben', claimedAt: 'x', renewedAt: 'x' }];

/** What the store would answer, of the world as a whole. */
function findings(payload: unknown, { maxSiblings = 7, scope }: { maxSiblings?: number; scope?: string } = {}): string[] {
  const tasks = new Map(world.map((one) => [one.id, one]));
  const { graph, findings: read } = readGraph(payload);
  const resolved = resolveGraph(graph, tasks, scope ? tasks.get(scope) : undefined);
  const planned = new Map([...resolved.created, ...resolved.updated].map((one) => [one.key, one]));
  const links: Links = { parentOf: new Map(), dependsOf: new Map(), childrenOf: new Map() };
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
  return [...read, ...resolved.findings, ...judgeGraph(resolved, facts)].map(({ pointer, code }) => `${pointer} ${code}`).sort();
}

const graph = (more: object) => ({ version: 1, ...more });
const made = (...create: object[]) => graph({ create: create.map((one) => ({ title: 'x', ...one })) });

test.each<[string, unknown, string[]]>([
  ['an empty payload is in order', graph({}), []],
  ['so is one whose entries name each other', made({ ref: 'a', parent: 'T001' }, { parent: 'a', depends: ['T002'] }), []],
  ['a payload that is no object', [], [' E_INVALID_INPUT']],
  ['another version', { version: 2 }, ['/version E_INVALID_INPUT']],
  ['no version', {}, ['/version E_INVALID_INPUT']],
  ['a section that is none', graph({ creates: [] }), ['/creates E_INVALID_INPUT']],
  ['a section that is no list', graph({ create: {} }), ['/create E_INVALID_INPUT']],
  [
    'every ill-typed field of every entry',
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
  ['a strange field, its name escaped', made({ 'a/b~c': 1 }), ['/create/0/a~1b~0c E_INVALID_INPUT']],
  [
    'a broken rule',
    made({ title: 'x'.repeat(201), labels: ['ok', 'NO'] }),
    ['/create/0/labels/1 E_VALIDATION_LABELS', '/create/0/title E_VALIDATION_TITLE'],
  ],
  [
    'an ill-typed entry is still a ref to others',
    made({ ref: 'a', parent: 'T001', title: 1 }, { parent: 'T001', depends: ['a'] }),
    ['/create/0/title E_INVALID_INPUT'],
  ],
  ['a ref given twice', made({ ref: 'a' }, { ref: 'a' }), ['/create/1/ref E_ID_COLLISION']],
  [
    'an id that has two places',
    graph({ update: [{ id: 'T9' }, { id: 'T009' }], delete: ['T9'] }),
    ['/delete/0 E_INVALID_INPUT', '/update/0/id E_INVALID_INPUT', '/update/1 E_INVALID_INPUT', '/update/1/id E_INVALID_INPUT'],
  ],
  [
    'names that lead nowhere',
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
    'a circle of new depends',
    made({ ref: 'a', depends: ['b'] }, { ref: 'b', depends: ['c'] }, { ref: 'c', depends: ['a'] }),
    ['/create/0/depends/0 E_CIRCULAR_REFERENCE'],
  ],
  [
    'each of two circles',
    made({ ref: 'a', depends: ['a'] }, { ref: 'b', depends: ['c'] }, { ref: 'c', depends: ['b'] }),
    ['/create/0/depends/0 E_CIRCULAR_REFERENCE', '/create/1/depends/0 E_CIRCULAR_REFERENCE'],
  ],
  [
    'a circle through what exists',
    graph({ update: [{ id: 'T004', addDepends: ['T002'] }] }),
    ['/update/0/addDepends/0 E_CIRCULAR_REFERENCE'],
  ],
  [
    'entries inside each other',
    made({ ref: 'a', parent: 'b', type: 'task' }, { ref: 'b', parent: 'a', type: 'subtask' }),
    ['/create/0/parent E_CIRCULAR_REFERENCE', '/create/0/parent E_INVALID_PARENT_TYPE'],
  ],
  [
    'a fourth level',
    made({ ref: 'a', parent: 'T001' }, { ref: 'b', parent: 'a' }, { ref: 'c', parent: 'b' }),
    ['/create/2/parent E_DEPTH_EXCEEDED'],
  ],
  [
    'the wrong tier below a parent',
    made({ type: 'subtask', parent: 'T001' }, { type: 'saga', parent: 'T001' }),
    ['/create/0/parent E_INVALID_PARENT_TYPE', '/create/1/parent E_INVALID_PARENT_TYPE'],
  ],
  ['a subtask at the top', made({ type: 'subtask' }), ['/create/0 E_INVALID_PARENT_TYPE']],
  ['a parent that is done', made({ parent: 'T005' }), ['/create/0/parent E_TASK_COMPLETED']],
  [
    'a tier that no longer fits what is inside',
    graph({ update: [{ id: 'T002', type: 'epic', parent: 'none' }] }),
    ['/update/0/parent E_INVALID_PARENT_TYPE'],
  ],
  [
    'and what moves out with it does not count',
    graph({
      update: [
        { id: 'T002', type: 'epic', parent: 'none' },
        { id: 'T003', type: 'task', parent: 'T002' },
      ],
    }),
    [],
  ],
  ['a held task that is moved', graph({ update: [{ id: 'T004', parent: 'none' }] }), ['/update/0 E_TASK_CLAIMED']],
  ['a held task whose title changes is not moved', graph({ update: [{ id: 'T004', title: 'New' }] }), []],
  [
    'a deleted task that somebody holds, and that another waits for',
    graph({ delete: ['T004'] }),
    ['/delete/0 E_HAS_DEPENDENTS', '/delete/0 E_TASK_CLAIMED'],
  ],
  ['one with a child', graph({ delete: ['T002'] }), ['/delete/0 E_HAS_CHILDREN']],
  ['a child that goes as well, or moves', graph({ delete: ['T002', 'T003'] }), []],
  ['a child that moves away', graph({ update: [{ id: 'T003', parent: 'T009' }], delete: ['T002'] }), []],
  ['one that is done', graph({ delete: ['T008'] }), ['/delete/0 E_TASK_COMPLETED']],
  [
    'what is deleted cannot be waited for',
    graph({ create: [{ title: 'x', depends: ['T009'] }], delete: ['T009'] }),
    ['/create/0/depends/0 E_INVALID_INPUT'],
  ],
  [
    'a revision that has passed',
    graph({ update: [{ id: 'T009', expectRevision: 2 }] }),
    ['/update/0/expectRevision E_CONCURRENT_MODIFICATION'],
  ],
  ['criteria of what has begun', graph({ update: [{ id: 'T006', acceptance: ['b'] }] }), ['/update/0/acceptance E_VALIDATION_FROZEN']],
  ['with a reason they may change', graph({ update: [{ id: 'T006', acceptance: ['b'], reason: 'r' }] }), []],
  [
    'a relation to itself',
    graph({ relations: [{ from: 'T009', to: 'T009', type: 'fixes', reason: 'r' }] }),
    ['/relations/0 E_CIRCULAR_REFERENCE'],
  ],
  [
    'a relation with the parent',
    graph({ relations: [{ from: 'T002', to: 'T001', type: 'fixes', reason: 'r' }] }),
    ['/relations/0 E_INVALID_RELATION'],
  ],
  [
    'a relation with what becomes the parent',
    graph({ create: [{ ref: 'a', title: 'x', parent: 'T009' }], relations: [{ from: 'T009', to: 'a', type: 'fixes', reason: 'r' }] }),
    ['/relations/0 E_INVALID_RELATION'],
  ],
  ['a parent that it is related to', graph({ update: [{ id: 'T009', parent: 'T001' }] }), ['/update/0/parent E_INVALID_RELATION']],
  [
    'unless the relation goes',
    graph({ update: [{ id: 'T009', parent: 'T001' }], relations: [{ from: 'T009', to: 'T001', remove: true }] }),
    [],
  ],
  [
    'a relation without type and reason',
    graph({ relations: [{ from: 'T009', to: 'T002' }] }),
    ['/relations/0/reason E_INVALID_INPUT', '/relations/0/type E_INVALID_INPUT'],
  ],
])('%s', (_, payload, expected) => {
  expect(findings(payload)).toEqual(expected);
});

test('the limit of siblings counts who is there in the end', () => {
  const two = [
    { title: 'x', parent: 'T001' },
    { title: 'x', parent: 'T001' },
  ];
  expect(findings(graph({ create: two }), { maxSiblings: 4 })).toEqual(['/create/1/parent E_SIBLING_LIMIT']);
  expect(findings(graph({ create: two, update: [{ id: 'T006', parent: 'none' }] }), { maxSiblings: 4 })).toEqual([]);
  expect(
    findings(graph({ create: two, update: [{ id: 'T009', parent: 'T001' }], relations: [{ from: 'T009', to: 'T001', remove: true }] }), {
      maxSiblings: 4,
    }),
  ).toEqual(['/create/0/parent E_SIBLING_LIMIT', '/create/1/parent E_SIBLING_LIMIT']);
  const epics = Array.from({ length: 9 }, () => ({ title: 'x', type: 'epic', parent: 'T007' }));
  expect(findings(graph({ create: epics }), { maxSiblings: 4 })).toEqual([]);
});

test('what lies outside the scope of the session is told for each place', () => {
  const payload = graph({
    create: [{ title: 'x' }, { title: 'x', type: 'epic' }, { title: 'x', parent: 'T009' }],
    update: [
      { id: 'T009', title: 'x' },
      { id: 'T006', parent: 'none' },
      { id: 'T002', title: 'x' },
    ],
    delete: ['T007'],
  });
  expect(findings(payload, { scope: 'T001' })).toEqual([
    '/create/1 E_TASK_NOT_IN_SCOPE',
    '/create/2/parent E_TASK_NOT_IN_SCOPE',
    '/delete/0 E_TASK_NOT_IN_SCOPE',
    '/update/0 E_TASK_NOT_IN_SCOPE',
    '/update/1/parent E_TASK_NOT_IN_SCOPE',
  ]);
});

test('a misspelt field is told what it may mean', () => {
  expect(readGraph(made({ acceptence: [] })).findings).toEqual([
    { pointer: '/create/0/acceptence', code: 'E_INVALID_INPUT', message: 'is not a field here; did you mean acceptance?' },
  ]);
});

test('ten thousand entries in a chain are judged without overflow, and so is one long circle', () => {
  const chain = Array.from({ length: 10_000 }, (_, i) => ({ title: 'x', ref: `r${i}`, ...(i ? { depends: [`r${i - 1}`] } : {}) }));
  expect(findings(graph({ create: chain }))).toEqual([]);
  expect(findings(graph({ create: chain.with(0, { title: 'x', ref: 'r0', depends: ['r9999'] }) }))).toHaveLength(1);
  const nest = Array.from({ length: 10_000 }, (_, i) => ({ title: 'x', ref: `r${i}`, ...(i ? { parent: `r${i - 1}` } : {}) }));
  expect(findings(graph({ create: nest })).length).toBeGreaterThan(9_900);
});
