import { expect, test } from 'vitest';
import { type Json, openApp } from '../app.ts';

const world = [
  'T001 epic: Parser',
  'T002 in T001 high labels a,b: Grammar',
  'T003 in T001 labels a: Trees',
  'T004 in T001 done: Lexer',
  'T005 in T001 done archived: Words',
  'T006 epic: Other',
  'T007 in T006 blocked: Docs',
  'T008 in T006 active by ada@session-1: Site',
  'T009 epic done: Old',
  'memory decision about T002 tags x: Structs for the parser',
  'memory decision accepted about T007 tags y: Classes for the parser',
  'memory learning about T002 tags x: Parsers are slow',
  'doc one T002 spec: One',
  'doc two T002: Two',
  'doc three T003: Three',
  'session session-1 epic:T006 by ada',
  'session session-2 global ended by ben',
  'research T002-a: A',
  'research T003-b partial: B',
  'research T003-c blocked: C',
  'trace run-a failure by ada',
  'trace run-b success by ben',
  'review rv-1 of run-a',
  'review rv-2 of run-b',
];

/** Each filter alone, and the items that it selects. */
const rows: [operation: string, params: Record<string, unknown>, expected: string][] = [
  ['tasks.list', {}, 'T001 T002 T003 T004 T006 T007 T008 T009'],
  ['tasks.list', { all: true }, 'T001 T002 T003 T004 T005 T006 T007 T008 T009'],
  ['tasks.list', { archived: true }, 'T005'],
  ['tasks.list', { parent: 'T006' }, 'T007 T008'],
  ['tasks.list', { status: ['blocked', 'active'] }, 'T007 T008'],
  ['tasks.list', { open: true }, 'T001 T002 T003 T006 T007 T008'],
  ['tasks.list', { type: ['epic'], open: true }, 'T001 T006'],
  ['tasks.list', { label: ['a', 'b'] }, 'T002'],
  ['tasks.list', { label: ['a'] }, 'T002 T003'],
  ['tasks.list', { priority: ['high'] }, 'T002'],
  ['tasks.list', { sort: 'open' }, 'T001 T002 T003 T006 T007 T008 T004 T009'],
  ['tasks.list', { sort: 'priority', parent: 'T001' }, 'T002 T003 T004'],
  ['tasks.list', { since: '2026-01-04' }, 'T008'],
  ['tasks.list', { before: '2026-01-02', parent: 'T001' }, 'T002 T004'],
  ['tasks.list', { assignee: 'ada' }, 'T003'],
  ['tasks.list', { assignee: 'none', parent: 'T001' }, 'T002 T004'],
  ['tasks.list', { due: '2026-02-01' }, 'T003'],
  ['tasks.list', { due: '2026-01-31' }, ''],
  ['tasks.list', { due: 'none', parent: 'T001' }, 'T002 T004'],
  ['tasks.find', { query: 'parser' }, 'T001'],
  ['tasks.find', { id: '00', open: true, type: ['task'] }, 'T002 T003 T007 T008'],
  ['tasks.find', { query: 'words' }, ''],
  ['tasks.find', { query: 'words', archived: true }, 'T005'],
  ['tasks.board', { epic: 'T006' }, 'T007 T008'],
  ['tasks.board', { match: 'gramm' }, 'T002'],
  ['tasks.tree', { taskId: 'T006' }, 'T006'],
  ['orchestrate.epics', {}, 'T001 T006'],
  ['orchestrate.epics', { all: true }, 'T001 T006 T009'],
  ['orchestrate.ready', {}, 'T002'],
  ['orchestrate.ready', { any: true }, 'T002 T003'],
  ['orchestrate.ready', { epic: 'T006' }, ''],
  ['orchestrate.graph', { epic: 'T006' }, 'T006 T007 T008'],
  ['orchestrate.graph', { epic: 'T001' }, 'T001 T002 T003'],
  ['orchestrate.graph', { epic: 'T001', all: true }, 'T001 T002 T003 T004'],
  ['memory.find', {}, 'D-001 D-002 L-001'],
  ['memory.find', { type: 'learning' }, 'L-001'],
  ['memory.find', { state: 'accepted' }, 'D-002'],
  ['memory.find', { task: 'T002' }, 'D-001 L-001'],
  ['memory.find', { tag: 'y' }, 'D-002'],
  ['memory.find', { term: 'slow' }, 'L-001'],
  ['memory.decision-find', { query: 'parser' }, 'D-001 D-002'],
  ['memory.decision-find', { query: 'parser', state: 'proposed' }, 'D-001'],
  ['memory.decision-find', { epic: 'T006' }, 'D-002'],
  ['docs.list', {}, 'one three two'],
  ['docs.list', { task: 'T003' }, 'three'],
  ['docs.list', { type: 'spec' }, 'one'],
  ['session.list', {}, 'session-1 session-2'],
  ['session.list', { status: 'ended' }, 'session-2'],
  ['research.list', {}, 'T002-a T003-b T003-c'],
  ['research.list', { status: 'partial' }, 'T003-b'],
  ['research.list', { task: 'T002' }, 'T002-a'],
  ['research.list', { needsFollowup: true }, 'T003-b T003-c'],
  ['research.list', { topic: 'none' }, ''],
  ['research.list', { agentType: 'specification' }, ''],
  ['review.list', {}, 'rv-1 rv-2'],
  ['review.list', { run: 'run-b' }, 'rv-2'],
  ['review.list', { status: 'resolved' }, ''],
  ['review.list', { status: 'all' }, 'rv-1 rv-2'],
  ['trace.list', {}, 'run-a run-b'],
  ['trace.list', { status: 'failure' }, 'run-a'],
  ['trace.query', { event: 'run_started' }, 'run-a run-b'],
  ['admin.log', {}, '1 2 3 4'],
  ['admin.log', { agent: 'tester' }, '1 2 4'],
  ['admin.log', { operation: 'tasks.update' }, '1 2 3'],
  ['admin.log', { operation: 'tasks.done' }, '4'],
  ['admin.log', { task: 'T099' }, '4'],
  ['admin.log', { task: 'T003' }, '1 2'],
  ['admin.log', { failed: true }, '4'],
  ['admin.log', { after: 2 }, '3 4'],
  ['admin.log', { before: 3 }, '1 2'],
  ['admin.log', { session: 'session-1' }, '3'],
  ['admin.log', { since: '2026-01-04' }, '3 4'],
  ['admin.log', { until: '2026-01-04' }, '1 2'],
];

test('every filter selects what it says', async () => {
  const clock = { now: '2026-01-03T00:00:00.000Z' };
  const app = await openApp({ tasks: world, clock });
  await app.call('tasks.update', { taskId: 'T003', assignee: 'ada', due: '2026-02-01' });
  await app.call('tasks.update', { taskId: 'T003', notes: 'x' });
  clock.now = '2026-01-05T00:00:00.000Z';
  await app.as('ada').call('tasks.update', { taskId: 'T008', notes: 'x' }, { session: 'session-1' });
  expect(await app.call('tasks.complete', { taskId: 'T099' })).toMatchObject({ error: { exitCode: 4 } });
  const found: typeof rows = [];
  for (const [operation, params] of rows)
    found.push([operation, params, listIds(await app.call(operation, params), 'sort' in params).join(' ')]);
  expect(found).toEqual(rows);
});

/** Lists the ids of the items, sorted unless the call orders them. */
function listIds({ _meta, ...envelope }: Json, isOrdered: boolean): string[] {
  const items: Json[] =
    _meta.resultsField === 'columns' ? envelope.columns.flatMap(({ cards }: Json) => cards) : envelope[_meta.resultsField];
  if (!items) return [JSON.stringify(envelope.error)];
  const ids = items.map(({ id, slug, runId, run_id, seq }) => String(id ?? slug ?? runId ?? run_id ?? seq));
  return isOrdered ? ids : ids.toSorted();
}
