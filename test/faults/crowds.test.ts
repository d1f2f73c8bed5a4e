import { expect, test } from 'vitest';
import { createFaultProject, createIds, listTaskIds, pickSize, queryDatabase, runInRows } from './processes.ts';

test('concurrent adds all succeed with consecutive ids', async () => {
  const [crowd, length] = [pickSize(8, 16), pickSize(12, 500)];
  const { run, database } = await createFaultProject();
  const ended = await runInRows(crowd, length, (row, place) =>
    run(['add', `Part ${row}.${place}`], { env: { CLEO_AGENT_ID: `agent-${row}` } }),
  );
  expect(ended.filter((one) => one.exitCode !== 0).map((one) => one.stdout)).toEqual([]);
  const all = createIds(crowd * length);
  expect(ended.map((one) => one.answer.task.id).sort(compareIds)).toEqual(all);
  expect(listTaskIds(database)).toEqual(all);
  // Each add is one entry of the audit chain.
  const log = queryDatabase(database, 'select count(*) as n, max(seq) as last, count(distinct prev_hash) as links from audit_log');
  expect(log).toEqual([{ n: all.length + 1, last: all.length + 1, links: all.length + 1 }]);
});

test('concurrent notes on one task are all stored', async () => {
  const [crowd, length] = [pickSize(8, 16), pickSize(6, 25)];
  const { run, runOk } = await createFaultProject();
  await runOk(['add', 'Take notes']);
  const ended = await runInRows(crowd, length, (row, place) => run(['update', 'T1', '--notes', `note ${row}.${place}`]));
  expect(ended.filter((one) => one.exitCode !== 0).map((one) => one.stdout)).toEqual([]);
  const { task } = await runOk(['show', 'T1']);
  expect(new Set(task.notes.map((note: { text: string }) => note.text)).size).toBe(crowd * length);
  expect(task.revision).toBe(1 + crowd * length);
});

const compareIds = (a: string, b: string): number => Number(a.slice(1)) - Number(b.slice(1));
