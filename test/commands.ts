import fc from 'fast-check';
import type { Call } from '../src/dispatch/dispatch.ts';

/** A call of an agent, with ids that may not exist. `#n` is the nth session that was started. */
export interface Command {
  operation: string;
  params: Record<string, unknown>;
  agent: string;
  session?: string | undefined;
}

export const startOperations = ['session.start', 'orchestrate.start'];

/** Replaces `#n` by the ids of the sessions started so far. */
export function fillInSessions({ operation, params, agent, session }: Command, started: string[]): [string, typeof params, Partial<Call>] {
  const resolve = (value: unknown) => (/^#\d+$/.test(String(value)) ? (started[Number(String(value).slice(1))] ?? 'session-none') : value);
  const named = session === undefined ? {} : { session: String(resolve(session)) };
  return [operation, Object.fromEntries(Object.entries(params).map(([name, value]) => [name, resolve(value)])), { agent, ...named }];
}

const id = fc.integer({ min: 1, max: 14 }).map((n) => `T${String(n).padStart(3, '0')}`);
const ids = fc.uniqueArray(id, { maxLength: 3 });
const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined });
const type = fc.constantFrom('saga', 'epic', 'task', 'subtask');
const title = fc.constantFrom('Write the parser', 'Test the parser', 'Fix the lexer', 'Überprüfen', '解析する', 'parser parser');
const omitUndefined = (params: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(params).filter(([, value]) => value !== undefined));

const memoryType = fc.constantFrom('observation', 'decision', 'learning');
const memory = fc.constantFrom('D-001', 'D-002', 'D-003', 'L-001', 'L-002', 'O-001');
const sessionId = fc.integer({ min: 0, max: 3 }).map((n) => `#${n}`);

const writes: Record<string, fc.Arbitrary<Record<string, unknown>>> = {
  'tasks.add': fc.record({
    title,
    parent: maybe(id),
    type: maybe(type),
    depends: maybe(ids),
    priority: maybe(fc.constantFrom('critical', 'high', 'low')),
    labels: maybe(fc.subarray(['api', 'ui', 'core'])),
    description: maybe(fc.constant('About the grammar')),
    acceptance: maybe(fc.constant(['parses'])),
  }),
  'tasks.add-batch': fc.record({
    tasks: fc.array(
      fc
        .record({
          title,
          ref: maybe(fc.constantFrom('a', 'b', 'c')),
          parent: maybe(fc.oneof(id, fc.constantFrom('a', 'b'))),
          depends: maybe(fc.array(fc.oneof(id, fc.constantFrom('a', 'b', 'c')), { maxLength: 2 })),
        })
        .map(omitUndefined),
      { minLength: 1, maxLength: 3 },
    ),
  }),
  'tasks.update': fc.record({
    taskId: id,
    title: maybe(title),
    parent: maybe(fc.oneof(id, fc.constant('none'))),
    type: maybe(type),
    depends: maybe(ids),
    addDepends: maybe(ids),
    removeDepends: maybe(ids),
    status: maybe(fc.constantFrom('pending', 'active', 'blocked', 'done')),
    blockedBy: maybe(fc.constantFrom('no key', 'T001')),
    clearBlockedBy: maybe(fc.constant(true)),
    notes: maybe(fc.constant('a note')),
    expectRevision: maybe(fc.integer({ min: 1, max: 3 })),
  }),
  'tasks.start': fc.record({ taskId: id }),
  'tasks.stop': fc.constant({}),
  'tasks.complete': fc.record({ taskId: maybe(id) }),
  'tasks.reopen': fc.record({ taskId: id }),
  'tasks.archive': fc.record({ taskId: maybe(id) }),
  'tasks.delete': fc.record({ taskId: id, cascade: maybe(fc.constant(true)), orphan: maybe(fc.constant(true)) }),
  'tasks.restore': fc.record({ taskId: id, cascade: maybe(fc.constant(true)) }),
  'tasks.criteria.check': fc.record({ taskId: id, n: fc.integer({ min: 1, max: 2 }) }),
  'tasks.claim-next': fc.constant({}),
  'saga.create': fc.record({ title, acceptance: maybe(fc.constant(['it holds'])) }),
  'saga.add': fc.record({ sagaId: id, epicId: id }),
  'memory.store': fc.record({
    type: memoryType,
    content: fc.oneof(
      title,
      fc.tuple(title, memory).map((parts) => parts.join(', as in ')),
    ),
    task: maybe(id),
    tags: maybe(fc.subarray(['api', 'core'])),
  }),
  'memory.supersede': fc.record({ old: memory, by: memory }),
  'memory.confirm': fc.record({ id: memory }),
  'tasks.relates.add': fc.record({ from: id, to: id, type: fc.constantFrom('related', 'fixes'), reason: fc.constant('the same cause') }),
};

/** Tasks of every type, so that session scopes can contain each other or be disjoint. */
export const taskTree = [
  'T001 saga',
  'T002 in T001',
  'T003 in T001',
  'T004 epic',
  'T005 in T002',
  'T006 in T002',
  'T007 in T003',
  'T008 in T004',
  'T009 in T005',
  'T010 in T005',
  'T011 in T008',
  'T012',
];
const scopeInTree = fc.constantFrom('saga:T001', 'epic:T002', 'epic:T003', 'epic:T004', 'task:T005', 'task:T008', 'task:T009', 'task:T012');
const scope = fc.oneof(
  { arbitrary: scopeInTree, weight: 4 },
  fc.constantFrom('global', 'epic'),
  fc.tuple(fc.constantFrom('epic', 'saga', 'task'), id).map((parts) => parts.join(':')),
);
const sessions: Record<string, fc.Arbitrary<Record<string, unknown>>> = {
  'session.start': fc.record({
    scope,
    autoFocus: fc.constantFrom(true, true, undefined),
    focus: maybe(id),
    grade: maybe(fc.constant(true)),
    name: maybe(fc.constant('Work')),
  }),
  'orchestrate.start': fc.record({ epic: id, name: maybe(fc.constant('Work')) }),
  'session.resume': fc.record({ sessionId }),
  'session.suspend': fc.constant({}),
  'session.end': fc.record({ note: maybe(fc.constant('Handed over')) }),
  'session.safestop': fc.record({ reason: maybe(fc.constant('Full')), keep: maybe(fc.constant(true)) }),
  'session.gc': fc.constant({}),
  'system.context.report': fc.record({ used: fc.constantFrom(10, 195), max: fc.constant(200) }),
};

const reads: Record<string, fc.Arbitrary<Record<string, unknown>>> = {
  'tasks.show': fc.record({ taskId: id }),
  'tasks.find': fc.record({ query: fc.constantFrom('parser', 'pars', 'prser', 'uberprufen', '解析', 'grammar', 'nothing here') }),
  'tasks.list': fc.record({
    status: maybe(fc.constantFrom('pending', 'done')),
    sort: maybe(fc.constantFrom('priority', 'status')),
    label: maybe(fc.constant('api')),
  }),
  'memory.find': fc.record({
    term: maybe(fc.constantFrom('parser', 'pars', 'prser', 'uberprufen', '解析', 'as lexer', 'D-001')),
    type: maybe(memoryType),
    near: maybe(fc.constant(true)),
  }),
  'memory.timeline': fc.record({ id: memory }),
  'memory.fetch': fc.record({ id: memory }),
  'tasks.tree': fc.constant({}),
  'tasks.next': fc.constant({}),
  'tasks.deps': fc.record({ taskId: id }),
  'tasks.history': fc.record({ taskId: id }),
  'orchestrate.ready': fc.constant({}),
  'orchestrate.analyze': fc.record({ epic: maybe(id) }),
  'orchestrate.status': fc.record({ epic: maybe(id) }),
  'orchestrate.report': fc.record({ taskId: id, limit: maybe(fc.constant(2)) }),
  'saga.list': fc.constant({}),
  'saga.members': fc.record({ sagaId: id }),
  'saga.rollup': fc.record({ sagaId: id }),
  'tasks.current': fc.constant({}),
  'session.list': fc.constant({}),
  'session.status': fc.constant({}),
  'session.show': fc.record({ sessionId }),
  'session.briefing': fc.constant({}),
  'system.context.check': fc.constant({}),
};

type Table = Record<string, fc.Arbitrary<Record<string, unknown>>>;
const createCommands = (table: Table): fc.Arbitrary<Command>[] =>
  Object.entries(table).map(([operation, params]) =>
    fc.record({
      operation: fc.constant(operation),
      params: params.map(omitUndefined),
      agent: fc.constantFrom('ada', 'bob'),
      session: fc.oneof({ arbitrary: fc.constant(undefined), weight: 5 }, sessionId),
    }),
  );

const [addCommand] = createCommands(writes);
const [startCommand] = createCommands(sessions);
// Adding tasks and starting sessions are more frequent, so that other commands have something to work with.
export const write = fc.oneof(
  { arbitrary: addCommand!, weight: 5 },
  { arbitrary: startCommand!, weight: 3 },
  ...createCommands(writes),
  ...createCommands(sessions),
);
/** Writes that affect sessions: start, focus, move, complete and end. */
export const sessionWrite = fc.oneof(
  { arbitrary: startCommand!, weight: 4 },
  ...createCommands(sessions),
  ...createCommands({
    'tasks.start': fc.record({ taskId: id }),
    'tasks.claim-next': fc.constant({}),
    'tasks.update': fc.record({ taskId: id, parent: fc.oneof(id, fc.constant('none')) }),
    'tasks.complete': fc.record({ taskId: maybe(id) }),
    'tasks.add': fc.record({ title, parent: maybe(id) }),
    'tasks.delete': fc.record({ taskId: id, cascade: maybe(fc.constant(true)) }),
    'tasks.reopen': fc.record({ taskId: id }),
    'tasks.stop': fc.constant({}),
  }),
);
export const command = fc.oneof({ arbitrary: write, weight: 3 }, ...createCommands(reads));
