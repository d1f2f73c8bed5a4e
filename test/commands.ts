import fc from 'fast-check';

/** One call of an agent's day, with ids that may or may not exist. */
export interface Command {
  operation: string;
  params: Record<string, unknown>;
  agent: string;
}

const id = fc.integer({ min: 1, max: 14 }).map((n) => `T${String(n).padStart(3, '0')}`);
const ids = fc.uniqueArray(id, { maxLength: 3 });
const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined });
const type = fc.constantFrom('saga', 'epic', 'task', 'subtask');
const title = fc.constantFrom('Write the parser', 'Test the parser', 'Fix the lexer', 'Überprüfen', '解析する', 'parser parser');
const given = (params: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(params).filter(([, value]) => value !== undefined));

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
        .map(given),
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
  'tasks.relates.add': fc.record({ from: id, to: id, type: fc.constantFrom('related', 'fixes'), reason: fc.constant('the same cause') }),
};

const reads: Record<string, fc.Arbitrary<Record<string, unknown>>> = {
  'tasks.show': fc.record({ taskId: id }),
  'tasks.find': fc.record({ query: fc.constantFrom('parser', 'pars', 'prser', 'uberprufen', '解析', 'grammar', 'nothing here') }),
  'tasks.list': fc.record({
    status: maybe(fc.constantFrom('pending', 'done')),
    sort: maybe(fc.constantFrom('priority', 'status')),
    label: maybe(fc.constant('api')),
  }),
  'tasks.tree': fc.constant({}),
  'tasks.next': fc.constant({}),
  'tasks.deps': fc.record({ taskId: id }),
  'tasks.history': fc.record({ taskId: id }),
  'orchestrate.ready': fc.constant({}),
};

const commandsOf = (table: Record<string, fc.Arbitrary<Record<string, unknown>>>, agents: string[]): fc.Arbitrary<Command>[] =>
  Object.entries(table).map(([operation, params]) =>
    fc.record({ operation: fc.constant(operation), params: params.map(given), agent: fc.constantFrom(...agents) }),
  );

const agents = ['ada', 'bob'];
// Adding comes up more often, so that there is something to work with.
export const write = fc.oneof({ arbitrary: commandsOf(writes, agents)[0]!, weight: 4 }, ...commandsOf(writes, agents));
export const command = fc.oneof({ arbitrary: write, weight: 2 }, ...commandsOf(reads, agents));
