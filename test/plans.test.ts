import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { loadSqliteDriver, type SqliteDatabase } from '../src/store/dialects/sqlite-driver.ts';
import { createSqlite } from '../src/store/dialects/sqlite-schema.ts';
import type { ReadStore } from '../src/store/port/store.ts';
import { createHistoryWriter } from '../src/store/sql/admin/audit-writes.ts';
import { createReadStore } from '../src/store/sql/read-store.ts';
import type { Db, Sql } from '../src/store/sql/sql.ts';
import { createRankRefresher } from '../src/store/sql/tasks/rank-refresher.ts';
import { storeImage } from '../src/store/sql/undo/images.ts';
import { createUndoWrites } from '../src/store/sql/undo/undo.ts';

// SQLite plans without statistics here, so an empty database gives the same plans as a large one.
const folder = mkdtempSync(join(tmpdir(), 'cleo-plans-'));
let database: SqliteDatabase;
beforeAll(async () => {
  await createSqlite(join(folder, 'cleo.db'), '2026-01-01T00:00:00.000Z');
  database = new (loadSqliteDriver().DatabaseSync)(join(folder, 'cleo.db'), { readOnly: true });
});
afterAll(() => {
  database.close();
  rmSync(folder, { recursive: true });
});

/** Returns the query plan steps of every statement that `ask` runs. Statements without an answer are not run. */
async function explainAll(ask: (db: Db) => Promise<unknown>): Promise<string[]> {
  const steps: string[] = [];
  const explain = (statement: Sql): string => {
    const text = statement.parts.join('?');
    for (const row of database.prepare(`explain query plan ${text}`).all(...statement.values)) steps.push(String(row.detail));
    return text;
  };
  await ask({
    engine: 'sqlite',
    all: async (statement) => database.prepare(explain(statement)).all(...statement.values),
    run: async (statement) => void explain(statement),
  });
  return steps;
}

const explain = (ask: (store: ReadStore) => Promise<unknown>): Promise<string[]> => explainAll((db) => ask(createReadStore(db)));

/** True for a full table scan or an automatic index. Partial indexes and the small claims table are allowed. */
const isFullScan = (step: string): boolean =>
  /^SCAN (?!claims|tokens|CONSTANT|\d+ CONSTANT|above|below|around|subquery|\(subquery|by_|linked|counted|matched|found|chain|top|middle|low|bounds|parents|near|first_due|best|pairs|up|given)\w+(?! USING INDEX tasks_(?:open|archived|done|containers|planned)| VIRTUAL TABLE)/.test(
    step,
  ) || step.includes('AUTOMATIC');

const page = { limit: 20, offset: 0 };
const words = [['parser'], ['lexer', 'lexers']];
const questions: Record<string, (store: ReadStore) => Promise<unknown>> = {
  get: (s) => s.tasks.get('T001'),
  hits: (s) => s.tasks.getHits(['T001', 'T002']),
  exists: (s) => s.tasks.exists('T001'),
  ancestry: (s) => s.tasks.getAncestry('T001'),
  children: (s) => s.tasks.listChildren('T001'),
  countOpenChildren: (s) => s.tasks.countOpenChildren('T001'),
  descendants: (s) => s.tasks.listDescendants('T001'),
  forTree: (s) => s.tasks.listForTree('T001'),
  'board of a root': (s) => s.tasks.listForBoard('T001'),
  archivable: (s) => s.tasks.findArchivable(undefined, 'T001'),
  openGraph: (s) => s.tasks.getOpenGraph(),
  'buckets of ready tasks': (s) => s.ranks.listBuckets(undefined, 'score'),
  'buckets of a root': (s) => s.ranks.listBuckets('T001', 'urgency'),
  'best of a bucket by score': (s) => s.ranks.listBest({ root: undefined, bucket: '\n', order: 'score', limit: 32 }),
  'best of a bucket of a root by urgency': (s) => s.ranks.listBest({ root: 'T001', bucket: '\n', order: 'urgency', limit: 32 }),
  'tasks that are due': (s) => s.ranks.listDue('T001', 'score', '2026-01-31', 200),
  'facts of a score': (s) => s.ranks.getScoreFacts(['T001', 'T002']),
  'open in a subtree': (s) => s.tasks.listOpenInSubtree('T001'),
  'dependencies in a subtree': (s) => s.tasks.listOpenDependenciesInSubtree('T001'),
  'files in a subtree': (s) => s.tasks.listFilesInSubtree('T001'),
  'done in a subtree': (s) => s.tasks.listDoneInSubtree('T001', 50),
  'all open tasks': (s) => s.tasks.listOpenInSubtree(undefined),
  'all open dependencies': (s) => s.tasks.listOpenDependenciesInSubtree(undefined),
  'files of all open tasks': (s) => s.tasks.listFilesInSubtree(undefined),
  countsInside: (s) => s.tasks.countInSubtrees(['T001', 'T002']),
  openDepends: (s) => s.tasks.listOpenDependencies('T001'),
  dependents: (s) => s.tasks.listDependents('T001'),
  links: (s) => s.tasks.getLinks(['T001', 'T002']),
  childIds: (s) => s.tasks.listChildIds(['T001', 'T002']),
  openChildIds: (s) => s.tasks.listOpenChildIds(['T001', 'T002']),
  dependentIds: (s) => s.tasks.listDependentIds(['T001', 'T002']),
  notes: (s) => s.tasks.getNotes(['T001', 'T002']),
  relations: (s) => s.tasks.listRelations('T001'),
  recentlyDone: (s) => s.tasks.listRecentlyDone('2026-01-01T00:00:00.000Z', 10),
  sharing: (s) => s.tasks.findOverlapping('T001', 20),
  history: (s) => s.tasks.listHistory('T001', page),
  byIdPrefix: (s) => s.tasks.findByIdPrefix('142', {}, page),
  'spawns of a task': (s) => s.spawns.listForTask('T001'),
  'last spawns': (s) => s.spawns.listLatest(['T001', 'T002']),
  'budget of a session': (s) => s.spawns.getBudget({ agent: 'ada', session: 'session-1' }),
  'list by status': (s) => s.tasks.list({ status: ['active'] }, 'id', page),
  'list by status, most urgent first': (s) => s.tasks.list({ status: ['pending'] }, 'priority', page),
  'list by status and type': (s) => s.tasks.list({ status: ['active'], type: ['epic'] }, 'id', page),
  'list of epics': (s) => s.tasks.list({ type: ['epic'] }, 'id', page),
  'list of children': (s) => s.tasks.list({ parent: 'T001' }, 'id', page),
  'list by label': (s) => s.tasks.list({ label: ['api'] }, 'id', page),
  'list by assignee': (s) => s.tasks.list({ assignee: ['ada'] }, 'id', page),
  'list by due date': (s) => s.tasks.list({ dueBy: '2026-01-31', open: true }, 'id', page),
  'runs of a task': (s) => s.audit.listRuns('T001'),
  'participants of a task': (s) => s.gates.listParticipants('T001'),
  'known names': (s) => s.audit.findKnownNames(['ada']),
  'list of archived tasks': (s) => s.tasks.list({ archived: 'only' }, 'id', page),
  'count by status': (s) => s.tasks.count({ status: ['active'] }, 1000),
  'words in any field': (s) => s.search.findCandidates(words, { prefix: false, titleOnly: false }, {}, 200),
  'beginnings in the title': (s) => s.search.findCandidates(words, { prefix: true, titleOnly: true }, {}, 200),
  'words with filters': (s) =>
    s.search.findCandidates(words, { prefix: false, titleOnly: false }, { status: ['active'], label: ['api'], parent: 'T001' }, 200),
  'words counted': (s) => s.search.countCandidates(words, { prefix: true }, {}, 1000),
  wordsLike: (s) => s.search.findSimilarWords('parsr'),
  'claim of': (s) => s.claims.get('T001'),
  'claim held by': (s) => s.claims.getHeldBy({ agent: 'main' }),
  'orphaned claims': (s) => s.claims.findOrphaned(),
  'files of claimed tasks': (s) => s.claims.listFiles(),
  'idempotency key': (s) => s.keys.get('tasks.add', 'k'),
  'entries of a session': (s) => s.audit.listForSession('s1', 7, 100),
  'the log after an entry': (s) => s.audit.list({ after: 7 }, page),
  'newest of the log': (s) => s.audit.list({ session: 's1' }, page),
};

test.each(Object.keys(questions))('%s does not scan a whole table', async (name) => {
  const steps = await explain(questions[name]!);
  expect(steps.length).toBeGreaterThan(0);
  expect(steps.filter(isFullScan)).toEqual([]);
});

test('images for undo are found, and deleted by their age, without a scan', async () => {
  const stamp = { at: '2026-01-01T00:00:00.000Z', by: 'ada' };
  const stored = await explainAll((db) => storeImage(db, stamp, 'doc', 'guide', async () => undefined));
  const changes = { created: [], updated: [], deleted: [] };
  const undone = await explainAll((db) =>
    createUndoWrites(db, createReadStore(db).tasks, stamp, changes, createHistoryWriter(db, stamp)).restoreItems(7),
  );
  const steps = [...stored, ...undone].filter((step) => step.includes('undo_images') || / u\b/.test(step));
  expect(steps).toHaveLength(3);
  expect(steps.filter((step) => !step.includes('sqlite_autoindex_undo_images_1 (at'))).toEqual([]);
});

test.each([
  { sort: 'updated', filter: {} },
  { sort: 'updated', filter: { since: '2026-01-01T00:00:00.000Z' } },
  { sort: 'priority', filter: {} },
  { sort: 'status', filter: {} },
  { sort: 'status', filter: { open: true } },
] as const)('a list by $sort of $filter reads its page in order, without sorting', async ({ sort, filter }) => {
  const steps = await explain((s) => s.tasks.list(filter, sort, page));
  expect(steps.filter((step) => step.includes('TEMP B-TREE FOR ORDER BY'))).toEqual([]);
  expect(steps.join()).toContain('USING INDEX tasks_by_');
});

test('ranks are refreshed without a scan', async () => {
  const steps = await explainAll(async (db) => {
    const ranks = createRankRefresher(db);
    ranks.mark(['T001', 'T002'], ['T003']);
    await ranks.refresh();
  });
  expect(steps.length).toBeGreaterThan(0);
  expect(steps.filter(isFullScan)).toEqual([]);
});

test('detects a query that scans a whole table', async () => {
  expect((await explain((s) => s.tasks.list({ archived: 'both' }, 'updated', page))).filter(isFullScan)).toEqual(['SCAN t']);
});
