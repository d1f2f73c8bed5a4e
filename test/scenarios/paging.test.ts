import { expect, test } from 'vitest';
import { describeParams } from '../../src/core/command-line.ts';
import { registry } from '../../src/core/index.generated.ts';
import { type Json, openApp, type TestApp } from '../app.ts';

interface PagedList {
  tasks: string[];
  params?: Record<string, unknown>;
  /** Adds what the notation of worlds cannot express. */
  prepare?: (app: TestApp) => Promise<unknown>;
  /** The number of items. */
  total: number;
}

const epics = ['T001 saga', 'T002 in T001', 'T003 in T001', 'T004 in T001 done'];
const words = ['T001 labels a: Parser one', 'T002 labels a: Parser two', 'T003 labels a: Parser three', 'T004 labels a: Parser four'];
const memories = ['One', 'Two', 'Three'].map((title) => `memory decision about T001: ${title} parser`);
const relate = async ({ call }: TestApp) => {
  for (const to of ['T002', 'T003', 'T004']) await call('tasks.relates.add', { from: 'T001', to, type: 'related', reason: 'same code' });
};
const runs = ['trace run-a failure by ada', 'trace run-b success by ada', 'trace run-c failure by ben'];

const beads = ['bd-a', 'bd-b', 'bd-c'].map((id) => `${JSON.stringify({ id, title: id, status: 'open' })}\n`).join('');

/** Every list with pages. A new one needs a line. */
const lists: Record<string, PagedList> = {
  'admin.log': {
    tasks: ['T001'],
    prepare: async ({ call }) => {
      for (const notes of ['a', 'b', 'c']) await call('tasks.update', { taskId: 'T001', notes });
    },
    total: 3,
  },
  'assess.run': {
    tasks: ['run run-1 2026-01-31 discovery/write design/draw:84 build/make'],
    params: { runs: ['2026-01-*.jsonl'], now: '2026-02-01T00:00:00.000Z' },
    total: 3,
  },
  'docs.list': { tasks: ['T001', 'doc one T001: One', 'doc two T001: Two', 'doc three T001: Three'], total: 3 },
  'memory.decision-find': { tasks: ['T001', ...memories], params: { query: 'parser' }, total: 3 },
  'memory.find': { tasks: ['T001', ...memories], params: { type: 'decision' }, total: 3 },
  'orchestrate.epics': { tasks: epics, params: { all: true }, total: 3 },
  'orchestrate.ready': { tasks: words, total: 4 },
  'release.list': {
    tasks: ['T001 done', 'T002 done', 'T003 done', 'release v1.0.0 T001', 'release v1.1.0 T002', 'release v2.0.0 T003'],
    total: 3,
  },
  'research.list': { tasks: ['T001', 'research T001-a: A', 'research T001-b: B', 'research T001-c: C'], total: 3 },
  'review.list': { tasks: [...runs, 'review rv-1 of run-a', 'review rv-2 of run-b', 'review rv-3 of run-c'], total: 3 },
  'saga.list': { tasks: ['T001 saga', 'T002 saga', 'T003 saga'], total: 3 },
  'saga.members': { tasks: epics, params: { sagaId: 'T001' }, total: 3 },
  'session.list': {
    tasks: ['T001', 'session session-1 global by ada', 'session session-2 global ended by ben', 'session session-3 global ended by eve'],
    total: 3,
  },
  'tasks.find': { tasks: words, params: { query: 'parser' }, total: 4 },
  'tasks.history': {
    tasks: ['T001'],
    params: { taskId: 'T001' },
    prepare: ({ call }) => call('tasks.update', { taskId: 'T001', title: 'New', size: 'small' }),
    total: 3,
  },
  'tasks.imported': {
    tasks: [],
    prepare: ({ call }) => call('tasks.import', { from: 'beads', content: beads }),
    total: 3,
  },
  'tasks.list': { tasks: words, total: 4 },
  'tasks.relates.discover': { tasks: words, params: { taskId: 'T001' }, total: 3 },
  'tasks.relates.list': { tasks: words, params: { taskId: 'T001' }, prepare: relate, total: 3 },
  'tasks.relates.suggest': { tasks: words, params: { taskId: 'T001', threshold: 0 }, total: 3 },
  'trace.list': { tasks: runs, total: 3 },
  'trace.query': { tasks: runs, params: { event: 'run_started' }, total: 3 },
  'trace.query.groups': { tasks: runs, params: { groupBy: ['run'] }, total: 3 },
};

test.each(Object.entries(lists))('%s returns each page and the total', async (operation, { tasks, params = {}, prepare, total }) => {
  const app = await openApp({ tasks });
  await prepare?.(app);
  const read = async (page: object): Promise<{ items: unknown[]; truncated: Json; exitCode: number | undefined }> => {
    const { _meta, ...envelope } = await app.call(operation, { ...params, ...page });
    expect(envelope.success, JSON.stringify(envelope.error)).toBe(true);
    return { items: envelope[_meta.resultsField], truncated: _meta.truncated, exitCode: _meta.exitCode };
  };
  const { items: all, truncated } = await read({ limit: 0 });
  expect([all.length, truncated]).toEqual([total, undefined]);
  for (const offset of [0, 1]) {
    const page = await read({ limit: 1, offset });
    expect(page.items.map(getIdentity)).toEqual([getIdentity(all[offset])]);
    expect(page.truncated).toMatchObject({ shown: 1, total });
  }
  expect(await read({ limit: 2, offset: 1 })).toMatchObject({ items: { length: 2 } });
  expect(await read({ limit: 1, offset: total })).toMatchObject({ items: [], exitCode: 100 });
});

/** Other fields may depend on the rest of the page. */
function getIdentity(item: unknown): unknown {
  const { id, taskId, slug, seq, version, runId, run_id, run, count, field, phase } = item as Json;
  return [id, taskId, slug, seq, version, runId, run_id, run, count, field, phase];
}

/** Lists whose items take longer to create than a test may take. Their own tests cover the pages. */
const others = ['assess.suggest', 'admin.grade.list'];

test('every list with pages is listed here', async () => {
  const operations = await Promise.all(registry.entries.map((entry) => entry.load()));
  const paged = operations.filter(({ params }) => describeParams(params).some(({ name }) => name === 'offset')).map(({ name }) => name);
  expect(paged.filter((name) => !others.includes(name)).toSorted()).toEqual(Object.keys(lists).toSorted());
});
