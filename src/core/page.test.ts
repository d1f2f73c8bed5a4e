import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type Json, openApp } from '../../test/app.ts';
import { countRealTokens } from '../../test/real-tokens.ts';
import { describeParams } from './command-line.ts';
import { registry } from './index.generated.ts';

const operations = await Promise.all(registry.entries.map((entry) => entry.load()));
const has = (name: string) => (operation: (typeof operations)[number]) =>
  describeParams(operation.params).some((shape) => shape.name === name);
const lists = operations.filter(has('offset'));

test('every list has a budget parameter', () => {
  expect(lists.length).toBeGreaterThan(12);
  expect(lists.filter((list) => !has('budget')(list)).map(({ name }) => name)).toEqual([]);
});

test.each(lists.map((list) => [list.name, list] as const))('%s respects its budget', async (name, list) => {
  const { call } = await openApp({ tasks: list.example.world ?? [] });
  const whole = await call(name, list.example.call);
  const small = await call(name, { ...list.example.call, budget: 1 });
  const field = whole._meta.resultsField;
  expect((await call(name, { ...list.example.call, budget: 20_000 }))[field]).toEqual(whole[field]);
  // A write that is done does not fail because of its budget.
  if (list.kind !== 'query') return expect(small).toMatchObject({ success: true, [field]: [], _meta: { truncated: { shown: 0 } } });
  const code = list.exitNamespace ? 'E_SKILL_PRECONDITION' : 'E_VALIDATION_BUDGET';
  expect(small).toMatchObject({ error: { code, fix: expect.stringMatching(/--budget \d+/) } });
  const minBudget = Number(/--budget (\d+)/.exec(small.error.fix)?.[1]);
  const cut = await call(name, { ...list.example.call, budget: minBudget });
  expect(cut.success).toBe(true);
  expect(countRealTokens(JSON.stringify(cut))).toBeLessThanOrEqual(minBudget);
});

test('pages through a list with a budget to its end', async () => {
  const tasks = Array.from({ length: 60 }, (_, i) => `T${i + 100}: Task ${'with a long title '.repeat(i % 9)}${i}`);
  const { cli } = await openApp({ tasks });
  const seen: string[] = [];
  let command: string | undefined = 'cleo list --budget 400 --limit 25';
  for (let page = 0; command !== undefined && page < 60; page += 1) {
    const { out, envelope }: { out: string; envelope: Json } = await cli(command);
    expect(countRealTokens(out)).toBeLessThanOrEqual(400);
    seen.push(...envelope.tasks.map(({ id }: Json) => id));
    command = envelope._meta.truncated?.next;
  }
  expect(seen).toEqual(Array.from({ length: 60 }, (_, i) => `T${i + 100}`));
});

test('a list that is cut by its limit and by its budget says how many items it really shows', async () => {
  const { call } = await openApp({ tasks: Array.from({ length: 60 }, (_, i) => `T${i + 100}`) });
  const { tasks, _meta } = await call('tasks.list', { limit: 50, budget: 400 });
  expect(tasks.length).toBeLessThan(50);
  expect(_meta.truncated).toMatchObject({ shown: tasks.length, total: 60 });
});

test('suggests the budget for one item if not even one fits', async () => {
  const { call, cli } = await openApp({ tasks: ['T001', 'T002'] });
  await call('tasks.update', { taskId: 'T001', notes: 'word '.repeat(700) });
  const { envelope } = await cli('cleo list --budget 300');
  expect(envelope).toMatchObject({ _meta: { truncated: { shown: 0, total: 2 } }, tasks: [] });
  expect((await cli(envelope._meta.truncated.next)).envelope.tasks).toMatchObject([{ id: 'T001' }]);
});

test('drops the warnings before it refuses a budget', async () => {
  const { call, root } = await openApp({ tasks: ['T001', 'research T001-parsers: Which parsers there are'] });
  appendFileSync(join(root, '.cleo', 'research', 'MANIFEST.jsonl'), 'not an entry\n');
  expect((await call('research.list'))._meta.warnings).toHaveLength(1);
  const { error } = await call('research.list', { budget: 1 });
  const budget = Number(/--budget (\d+)/.exec(error.fix)?.[1]);
  const smallest = await call('research.list', { budget });
  expect(smallest).toMatchObject({ success: true, entries: [], _meta: { truncated: { shown: 0, total: 1 } } });
  expect(smallest._meta).not.toHaveProperty('warnings.0');
});
