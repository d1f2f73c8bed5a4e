import { expect, test } from 'vitest';
import type { ErrorCode } from '../../src/core/errors/catalog.ts';
import { registry } from '../../src/core/index.generated.ts';
import { asPerson, openApp } from '../app.ts';

const graph = (more: object) => ({ payload: { version: 1, ...more } });

/** A call of each operation on T011, T012 or the epic T010, which are outside the scope of the session. */
const outside: Record<string, Record<string, unknown>> = {
  'lifecycle.complete': { epicId: 'T010', stage: 'research' },
  'lifecycle.fail': { epicId: 'T010', stage: 'research', reason: 'no' },
  'lifecycle.reset': { epicId: 'T010', stage: 'research', reason: 'no' },
  'lifecycle.skip': { epicId: 'T010', stage: 'research', reason: 'A small change' },
  'lifecycle.start': { epicId: 'T010', stage: 'research' },
  'nexus.deps.remove': { taskId: 'T011', on: 'web:T003' },
  'orchestrate.spawn': { taskId: 'T011' },
  'orchestrate.spawn-batch': { epic: 'T010' },
  'saga.add': { sagaId: 'T020', epicId: 'T010' },
  'tasks.add': { title: 'New', parent: 'T010' },
  'tasks.add-batch': { tasks: [{ title: 'New', parent: 'T010' }] },
  'tasks.cancel': { taskId: 'T011', reason: 'not needed' },
  'tasks.complete': { taskId: 'T011' },
  'tasks.criteria.check': { taskId: 'T011', n: 1 },
  'tasks.delete': { taskId: 'T011' },
  'tasks.reopen': { taskId: 'T012' },
  'tasks.start': { taskId: 'T011' },
  'tasks.update': { taskId: 'T011', notes: 'x' },
  'validator.attest': { taskId: 'T011' },
  'validator.reject': { taskId: 'T011', reason: 'no' },
  'verify.gate': { taskId: 'T011', gate: 'implemented', evidence: 'note:x' },
};

/** Operations with the error whose own tests cover it: it depends on more than one task. */
const scopeElsewhere = [
  ...['admin.undo', 'nexus.deps.add', 'session.start', 'sync.github', 'tasks.claim-next', 'tasks.import', 'tasks.restore'],
  ...['work.claim', 'work.run', 'workgraph.apply', 'workgraph.plan', 'workgraph.validate'],
];

test.each(Object.entries(outside))('%s rejects a task outside the scope of the session', async (operation, params) => {
  const app = await openApp({
    tasks: [
      ...['T001 epic', 'T002 in T001', 'T010 epic', 'T011 in T010 accept works', 'T012 in T010 done', 'T020 saga'],
      'stage T010 research active',
      'session session-1 epic:T001 by tester',
    ],
  });
  const before = await app.call('tasks.list', { all: true });
  expect((await app.call(operation, params)).error).toMatchObject({ code: 'E_TASK_NOT_IN_SCOPE', exitCode: 34 });
  expect((await app.call('tasks.list', { all: true })).tasks).toEqual(before.tasks);
});

/** A call of each operation on T002, which another agent holds. */
const held: Record<string, Record<string, unknown>> = {
  'tasks.cancel': { taskId: 'T002', reason: 'not needed' },
  'tasks.complete': { taskId: 'T002' },
  'tasks.delete': { taskId: 'T002' },
  'tasks.start': { taskId: 'T002' },
  'tasks.stop': { taskId: 'T002' },
  'tasks.update': { taskId: 'T002', status: 'pending' },
};
const heldElsewhere = ['verify.gate', 'nexus.deps.add', 'saga.add', 'session.start', 'tasks.context', 'verify.status'];

test.each(Object.entries(held))('%s rejects a task that another agent holds', async (operation, params) => {
  const app = await openApp({ tasks: ['T001 epic', 'T002 in T001 active by ada'] });
  expect((await app.call(operation, params)).error).toMatchObject({ code: 'E_TASK_CLAIMED', exitCode: 35, details: { holder: 'ada' } });
  expect(await app.as('ada').call('tasks.current')).toMatchObject({ task: { id: 'T002', status: 'active' } });
});

test('deleting and cancelling an epic rejects a task inside it that another agent holds', async () => {
  const app = await openApp({ tasks: ['T001 epic', 'T002 in T001 active by ada'] });
  for (const [operation, params] of [
    ['tasks.delete', { taskId: 'T001', cascade: true }],
    ['tasks.cancel', { taskId: 'T001', cascade: true, reason: 'no' }],
  ] as const)
    expect((await app.call(operation, params)).error).toMatchObject({ code: 'E_CASCADE_FAILED', details: { held: 'T002', holder: 'ada' } });
});

test.each([
  ['tasks.cancel', { taskId: 'T001', reason: 'no' }],
  ['tasks.delete', { taskId: 'T001' }],
  ['tasks.update', { taskId: 'T001', acceptEvidence: [], reason: 'no' }],
])('%s of a task whose criteria are bound to evidence needs a person', async (operation, params) => {
  const app = await openApp({ tasks: ['T001 evidence qaPassed'] });
  expect((await app.call(operation, params)).error).toMatchObject({ code: 'E_FORBIDDEN', exitCode: 64 });
  expect(await app.call(operation, params, asPerson)).toMatchObject({ success: true });
});

test('a work graph rejects tasks outside the scope, and tasks that another agent holds', async () => {
  const app = await openApp({
    tasks: [
      'T001 epic',
      'T002 in T001',
      'T003 in T001 active by ada',
      'T010 epic',
      'T011 in T010',
      'session session-1 epic:T001 by tester',
    ],
  });
  for (const [more, code] of [
    [{ update: [{ id: 'T011', title: 'x' }] }, 'T011'],
    [{ delete: ['T011'] }, 'T011'],
    [{ delete: ['T003'] }, 'T003'],
  ] as const) {
    const { error } = await app.call('workgraph.apply', graph(more));
    expect(error, JSON.stringify(more)).toMatchObject({ code: 'E_VALIDATION_WORKGRAPH', exitCode: 6 });
    expect(JSON.stringify(error.details.findings)).toContain(code);
  }
});

test.each<[ErrorCode, string[]]>([
  ['E_TASK_NOT_IN_SCOPE', [...Object.keys(outside), ...scopeElsewhere]],
  ['E_TASK_CLAIMED', [...Object.keys(held), ...heldElsewhere]],
])('every operation that rejects a task with %s is tested here or named', async (code, names) => {
  const operations = await Promise.all(registry.entries.map((entry) => entry.load()));
  const declared = operations.filter(({ errors }) => (errors as readonly string[]).includes(code)).map(({ name }) => name);
  expect(declared.filter((name) => !names.includes(name))).toEqual([]);
});
