import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createApp } from '../../src/main.ts';
import { createPlatform } from '../../src/platform/platform.ts';
import { createCli, openApp, type TestApp } from '../app.ts';
import { createTempFolder } from '../temp-folder.ts';

interface Case {
  why: string;
  tasks?: string[];
  config?: Record<string, unknown>;
  arrange?: (app: TestApp) => Promise<unknown>;
  run: string[];
  exit: number;
  code: string;
}

const siblings = ['T001 epic', ...Array.from({ length: 7 }, (_, i) => `T00${i + 2} in T001`)];

const errorCases: Case[] = [
  {
    why: 'a record that cannot be read',
    tasks: ['T001'],
    arrange: deleteAndCorrupt,
    run: ['restore', 'T001'],
    exit: 1,
    code: 'E_GENERAL_ERROR',
  },
  { why: 'an unknown option', run: ['add', 'x', '--prioritty', 'high'], exit: 2, code: 'E_INVALID_INPUT' },
  { why: 'a value outside the choices', run: ['add', 'x', '--priority', 'hihg'], exit: 2, code: 'E_INVALID_INPUT' },
  { why: 'a missing argument', run: ['show'], exit: 2, code: 'E_INVALID_INPUT' },
  { why: 'an invalid number', run: ['list', '--limit', 'many'], exit: 2, code: 'E_INVALID_INPUT' },
  { why: 'too many words', run: ['add', 'Write', 'the', 'parser'], exit: 2, code: 'E_INVALID_INPUT' },
  { why: 'a misspelt command', tasks: ['T001'], run: ['shwo', 'T001'], exit: 2, code: 'E_INVALID_OPERATION' },
  { why: 'a misspelt id', tasks: ['T001'], run: ['show', 'TT1'], exit: 2, code: 'E_INVALID_INPUT' },
  { why: 'a file outside the project', run: ['export', '--output', '../out.jsonl'], exit: 3, code: 'E_FILE_ERROR' },
  { why: 'an id that does not exist', tasks: ['T142'], run: ['show', 'T1423'], exit: 4, code: 'E_NOT_FOUND' },
  { why: 'an id like no other', tasks: ['T001'], run: ['show', 'T900'], exit: 4, code: 'E_NOT_FOUND' },
  { why: 'a title too long', run: ['add', 'x'.repeat(201)], exit: 6, code: 'E_VALIDATION_TITLE' },
  { why: 'a label of other characters', run: ['add', 'x', '--labels', 'Upper'], exit: 6, code: 'E_VALIDATION_LABELS' },
  { why: 'an open dependency', tasks: ['T001 depends T002', 'T002'], run: ['start', 'T001'], exit: 6, code: 'E_VALIDATION_DEPENDS' },
  { why: 'an invalid status change', tasks: ['T001 blocked'], run: ['complete', 'T001'], exit: 6, code: 'E_VALIDATION_TRANSITION' },
  {
    why: 'ids as a reason',
    tasks: ['T001', 'T002'],
    run: ['update', 'T001', '--blocked-by', 'T2'],
    exit: 6,
    code: 'E_VALIDATION_BLOCKED_BY',
  },
  {
    why: 'criteria changed after the start',
    tasks: ['T001 active accept a'],
    run: ['update', 'T001', '--acceptance', "it's b"],
    exit: 6,
    code: 'E_VALIDATION_FROZEN',
  },
  {
    why: 'a parent with an unticked criterion',
    tasks: ['T001 epic accept a', 'T002 in T001 done'],
    run: ['complete', 'T001'],
    exit: 6,
    code: 'E_VALIDATION_ACCEPTANCE',
  },
  { why: 'an unknown configuration key', run: ['config', 'set', 'no.such', '1'], exit: 8, code: 'E_CONFIG_ERROR' },
  { why: 'a missing parent', run: ['add', 'x', '--parent', 'T009'], exit: 10, code: 'E_PARENT_NOT_FOUND' },
  {
    why: 'a fourth level',
    tasks: ['T001 epic', 'T002 in T001', 'T003 in T002'],
    run: ['add', 'x', '--parent', 'T003'],
    exit: 11,
    code: 'E_DEPTH_EXCEEDED',
  },
  { why: 'an eighth sibling', tasks: siblings, run: ['add', 'x', '--parent', 'T001'], exit: 12, code: 'E_SIBLING_LIMIT' },
  {
    why: 'a parent of the wrong tier',
    tasks: ['T001', 'T002 epic'],
    run: ['add', 'x', '--type', 'task', '--parent', 'T001'],
    exit: 13,
    code: 'E_INVALID_PARENT_TYPE',
  },
  {
    why: 'a child below a subtask without an epic',
    tasks: ['T001', 'T002 in T001'],
    run: ['add', 'x', '--parent', 'T002'],
    exit: 13,
    code: 'E_INVALID_PARENT_TYPE',
  },
  {
    why: 'a relation of parent and child',
    tasks: ['T001 epic', 'T002 in T001'],
    run: ['relates', 'add', 'T001', 'T002', 'related', 'x'],
    exit: 13,
    code: 'E_INVALID_RELATION',
  },
  {
    why: 'a dependency cycle',
    tasks: ['T001', 'T002 depends T001'],
    run: ['update', 'T001', '--add-depends', 'T002'],
    exit: 14,
    code: 'E_CIRCULAR_REFERENCE',
  },
  {
    why: 'a new task that would close a cycle',
    tasks: ['T001 epic', 'T002 depends T001'],
    run: ['add', 'x', '--parent', 'T001', '--depends', 'T002'],
    exit: 14,
    code: 'E_CIRCULAR_REFERENCE',
  },
  {
    why: 'a parent below itself',
    tasks: ['T001 epic', 'T002 in T001'],
    run: ['update', 'T001', '--parent', 'T002'],
    exit: 14,
    code: 'E_CIRCULAR_REFERENCE',
  },
  {
    why: 'a child whose parent was deleted',
    tasks: ['T001 epic', 'T002 in T001'],
    arrange: (app) => app.tamper("delete from tasks where id = 'T001'"),
    run: ['doctor'],
    exit: 15,
    code: 'E_ORPHAN_DETECTED',
  },
  {
    why: 'completing with open children',
    tasks: ['T001 epic', 'T002 in T001'],
    run: ['complete', 'T001'],
    exit: 16,
    code: 'E_HAS_CHILDREN',
  },
  { why: 'deleting with children', tasks: ['T001 epic', 'T002 in T001'], run: ['delete', 'T001'], exit: 16, code: 'E_HAS_CHILDREN' },
  { why: 'starting a done task', tasks: ['T001 done'], run: ['start', 'T001'], exit: 17, code: 'E_TASK_COMPLETED' },
  { why: 'deleting a done task', tasks: ['T001 done'], run: ['delete', 'T001'], exit: 17, code: 'E_TASK_COMPLETED' },
  {
    why: 'reopening below a done parent',
    tasks: ['T001 epic done', 'T002 in T001 done'],
    run: ['reopen', 'T002'],
    exit: 17,
    code: 'E_TASK_COMPLETED',
  },
  {
    why: 'a cascade over a held task',
    tasks: ['T001 epic', 'T002 in T001 active by ada'],
    run: ['delete', 'T001', '--cascade'],
    exit: 18,
    code: 'E_CASCADE_FAILED',
  },
  {
    why: 'deleting a task with dependents',
    tasks: ['T001', 'T002 depends T001'],
    run: ['delete', 'T001'],
    exit: 19,
    code: 'E_HAS_DEPENDENTS',
  },
  { why: 'a changed log', arrange: tamperWithLog, run: ['audit', 'verify'], exit: 20, code: 'E_CHECKSUM_MISMATCH' },
  {
    why: 'a concurrent update',
    tasks: ['T001'],
    run: ['update', 'T001', '--priority', 'low', '--expect-revision', '9'],
    exit: 21,
    code: 'E_CONCURRENT_MODIFICATION',
  },
  {
    why: 'a duplicate id',
    tasks: ['T001'],
    arrange: addResearch,
    run: [...'research add --id T001-parsers --file docs/parsers.md --title Parsers --status complete --linked-tasks T001'.split(' ')],
    exit: 22,
    code: 'E_ID_COLLISION',
  },
  { why: 'a task held by another', tasks: ['T001 active by ada', 'T002'], run: ['start', 'T001'], exit: 35, code: 'E_TASK_CLAIMED' },
  { why: 'no focus to complete', tasks: ['T001'], run: ['complete'], exit: 38, code: 'E_FOCUS_REQUIRED' },
  { why: 'a gate without evidence', tasks: ['T001 evidence testsPassed'], run: ['complete', 'T001'], exit: 45, code: 'E_GATE_DEPENDENCY' },
];

// The fix of every error is followed when the test ends; see test/fixes.
describe('each error has its code and changes nothing', () => {
  test.each(errorCases)('$exit $code: $why', async ({ tasks = [], config = {}, arrange, run, exit, code }) => {
    const app = await openApp({ tasks, config });
    await arrange?.(app);
    const before = await readTasks(app);
    const refused = await app.cli(run);
    expect(refused).toMatchObject({
      exitCode: exit,
      envelope: { success: false, error: { code, exitCode: exit, fix: expect.stringMatching(/^cleo /) } },
    });
    expect(await readTasks(app)).toBe(before);
  });
});

const answers: { why: string; tasks?: string[]; run: string[]; exit: number; result: object }[] = [
  { why: 'nothing matches', run: ['find', 'nothing'], exit: 100, result: { tasks: [] } },
  { why: 'nothing to list', run: ['list'], exit: 100, result: { tasks: [] } },
  { why: 'nothing to do next', run: ['next'], exit: 100, result: { recommendation: {} } },
  { why: 'nothing is ready', run: ['ready'], exit: 100, result: { tasks: [] } },
  { why: 'a missing task', run: ['exists', 'T001'], exit: 100, result: { exists: false } },
  { why: 'nothing is focused', run: ['focus', 'show'], exit: 100, result: { task: {} } },
  { why: 'a second init', run: ['init'], exit: 101, result: {} },
  { why: 'already done', tasks: ['T001 done'], run: ['done', 'T001'], exit: 102, result: { task: { id: 'T001' } } },
  { why: 'the same values', tasks: ['T001'], run: ['update', 'T001', '--priority', 'medium'], exit: 102, result: { task: { id: 'T001' } } },
  { why: 'nothing to archive', run: ['archive'], exit: 102, result: { archived: [] } },
  { why: 'nothing to stop', run: ['stop'], exit: 102, result: { task: {} } },
];

describe('100 to 102 are answers, not errors', () => {
  test.each(answers)('$exit: $why', async ({ tasks = [], run, exit, result }) => {
    const app = await openApp({ tasks });
    expect(await app.cli(run)).toMatchObject({ exitCode: exit, envelope: { success: true, _meta: { exitCode: exit }, ...result } });
  });

  test('101: the same relation again', async () => {
    const { cli } = await openApp({ tasks: ['T001', 'T002'] });
    const relate = ['relates', 'add', 'T001', 'T002', 'fixes', 'the same cause'];
    expect(await cli(relate)).toMatchObject({ exitCode: 0 });
    expect(await cli(relate)).toMatchObject({ exitCode: 101, envelope: { success: true } });
  });
});

test('7: another process holds the write lock; nothing changes', async () => {
  const app = await openApp({ tasks: ['T001'], config: { store: { busyTimeoutMs: 100 } } });
  const other = await app.openSecondStore();
  let letGo = (): void => {};
  const held = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  const isHolding = new Promise<void>((ready) => {
    void other.write({ at: 'x', by: 'other' }, async () => {
      ready();
      await held;
    });
  });
  await isHolding;
  const refused = await app.cli(['add', 'Too late']);
  letGo();
  expect(refused).toMatchObject({ exitCode: 7, envelope: { error: { code: 'E_LOCK_TIMEOUT' } } });
  expect(await app.cli(['exists', 'T002'])).toMatchObject({ exitCode: 100 });
  expect((await app.cli(refused.envelope.error.fix)).exitCode).toBe(0);
});

test('8: no project, and the fix creates one', async () => {
  const folder = createTempFolder();
  const env = { CLEO_HOME: join(folder, 'home'), CLEO_ROOT: folder };
  const app = () => createApp(createPlatform(env, folder, '0.0.0-test'));
  const refused = await createCli(app(), env)(['show', 'T001']);
  expect(refused).toMatchObject({ exitCode: 8, envelope: { error: { code: 'E_NOT_INITIALIZED', fix: 'cleo init' } } });
  expect(await createCli(app(), env)(refused.envelope.error.fix)).toMatchObject({ exitCode: 0 });
  expect(await createCli(app(), env)(['show', 'T001'])).toMatchObject({ exitCode: 4 });
});

async function deleteAndCorrupt(app: TestApp): Promise<void> {
  await app.call('tasks.delete', { taskId: 'T001' });
  await app.tamper("update task_history set old_value = '{torn' where field = 'deleted'");
}

async function tamperWithLog(app: TestApp): Promise<void> {
  await app.call('tasks.add', { title: 'First' });
  await app.tamper("update audit_log set agent_id = 'someone else' where seq = 1");
}

async function addResearch(app: TestApp): Promise<void> {
  const entry = { id: 'T001-parsers', file: 'docs/parsers.md', title: 'Parsers', status: 'complete', linkedTasks: ['T001'] };
  await app.call('research.add', entry);
}

const readTasks = async (app: TestApp): Promise<string> => (await app.call('tasks.export')).content;
