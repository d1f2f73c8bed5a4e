import fc from 'fast-check';
import { expect, test } from 'vitest';
import { estimateTokens } from '#lib/tokens.ts';
import { countRealTokens } from '../../../test/real-tokens.ts';
import { formatOmissions, formatPack } from '../model/pack-text.ts';
import { fitPack, fitPackAroundTask, type PackAnswer, type PackFacts, summarizeChange } from './context-pack.ts';

const at = '2026-01-02T10:20:30.000Z';
const meta = {
  ...{ command: 'tasks.context', timestamp: at, version: '1.0.0', sessionId: 'session-1767225600000-0a1b2c3d4e5f', resultsField: 'pack' },
  nudge: '-20: a task operation before session.list; look at the sessions first, or more than that',
};
const json = ({ pack, omitted }: PackAnswer): string =>
  `${JSON.stringify({ _meta: meta, success: true, pack, ...(omitted.length ? { omitted } : {}) })}\n`;
const text = ({ pack, omitted }: PackAnswer): string => `${formatPack(pack)}\n${formatOmissions(omitted)}\n`;
const countTokens = (answer: PackAnswer): number => Math.max(estimateTokens(json(answer)), estimateTokens(text(answer)));
const cost = (value: unknown): number => estimateTokens(JSON.stringify(value)) + 1;

const createFacts = (task: Partial<PackFacts['task']> = {}, more: Partial<PackFacts> = {}): PackFacts => ({
  task: {
    ...{ id: 'T001', type: 'task', title: 'Write the parser', status: 'pending', priority: 'medium' },
    ...{ labels: [], depends: [], acceptance: [], files: [], uid: 'u1', createdAt: at, createdBy: 'ada', updatedAt: at, revision: 1 },
    ...task,
  },
  ...{ children: [], blockers: [], parents: [], depends: [], dependents: [], docs: [], research: [], decisions: [], memory: [] },
  ...{ notes: [], history: [], moreHistory: 0, maxTokens: 100_000 },
  ...more,
});
const fitOrThrow = (facts: PackFacts, budget: number): PackAnswer => {
  const fitted = fitPack(facts, budget, countTokens, cost);
  if ('minBudget' in fitted) throw new Error(`needs ${fitted.minBudget}`);
  return fitted;
};
const criteria = (count: number, words = 'It holds', isMet = (_: number) => false) =>
  Array.from({ length: count }, (_, i) => ({ kind: 'text' as const, text: `${words} ${i}`, ...(isMet(i) ? { metAt: at } : {}) }));
const note = (words: string) => ({ at, by: 'ada', text: words });

test('includes everything when the budget allows it, and reports no omissions', () => {
  const facts = createFacts(
    { acceptance: criteria(2, 'It holds', (i) => i === 0), description: 'About it', size: 'small', labels: ['core'], files: ['a.ts'] },
    {
      children: [{ id: 'T002', status: 'done' }],
      docs: [{ slug: 'plan', kind: 'plan', title: 'The plan' }],
      notes: [note('Hello')],
      holder: 'ada',
    },
  );
  expect(fitOrThrow(facts, 1500)).toEqual({
    pack: {
      task: {
        ...{ id: 'T001', type: 'task', title: 'Write the parser', status: 'pending', priority: 'medium', size: 'small', holder: 'ada' },
        ...{ description: 'About it', labels: ['core'], files: ['a.ts'] },
      },
      acceptance: [
        { n: 1, text: 'It holds 0', met: true },
        { n: 2, text: 'It holds 1' },
        { n: 3, target: 'T002', met: true },
      ],
      docs: [{ slug: 'plan', kind: 'plan', title: 'The plan' }],
      notes: [note('Hello')],
    },
    omitted: [],
  });
});

test('shortens the texts of criteria, then groups them, and keeps every number', () => {
  const facts = createFacts({
    acceptance: criteria(50, 'A long sentence about what has to be true in the end, and how to see it', (i) => i % 3 === 0),
  });
  const numbers = ({ pack }: PackAnswer): number[] =>
    (pack.acceptance ?? []).flatMap(({ n }) => {
      const [from = 0, to = from] = String(n).split('-').map(Number);
      return Array.from({ length: to - from + 1 }, (_, i) => from + i);
    });
  const met = ({ pack }: PackAnswer): number =>
    (pack.acceptance ?? []).reduce((sum, { n, met: is }) => {
      const [from = 0, to = from] = String(n).split('-').map(Number);
      return sum + (is === true ? to - from + 1 : (is ?? 0));
    }, 0);
  for (const budget of [200, 300, 500, 1000, 2000, 20_000]) {
    const answer = fitOrThrow(facts, budget);
    expect(numbers(answer), `${budget}`).toEqual(Array.from({ length: 50 }, (_, i) => i + 1));
    expect(met(answer), `${budget}`).toBe(17);
    expect(answer.omitted).toEqual(
      budget < 2000 ? [{ section: expect.any(String), count: 50, expand: expect.stringMatching(/^cleo /) }] : [],
    );
  }
  expect(fitOrThrow(facts, 1300).pack.acceptance?.[0]).toEqual({ n: 1, text: expect.stringMatching(/^A long.*…$/), met: true });
});

test('keeps written criteria next to five hundred children', () => {
  const children = Array.from({ length: 500 }, (_, i) => ({ id: `T${i + 100}`, status: i < 200 ? 'done' : 'pending' }));
  const { pack, omitted } = fitOrThrow(createFacts({ acceptance: criteria(2) }, { children }), 400);
  expect(pack.acceptance).toEqual([
    { n: 1, text: 'It holds 0' },
    { n: 2, text: 'It holds 1' },
    { n: '3-202', met: true },
    { n: '203-502' },
  ]);
  expect(omitted).toEqual([{ section: 'acceptance', count: 500, expand: 'cleo show T001' }]);
});

test('cuts a long text with a mark, never inside a character, and reports it', () => {
  const { pack, omitted } = fitOrThrow(createFacts({}, { notes: [note(`${'x'.repeat(370)}${'🍳'.repeat(2000)}`), note('short')] }), 800);
  expect(pack.notes?.[0]?.text).toMatch(/^x+🍳+…$/u);
  expect(pack.notes?.[0]?.text.isWellFormed()).toBe(true);
  expect(omitted).toEqual([{ section: 'notes', count: expect.any(Number), expand: 'cleo show T001' }]);
});

test('fills the more important list first', () => {
  const kin = (n: number) => ({ id: `T${n}`, title: 'A title of some length, as titles are', status: 'pending' as const });
  const facts = createFacts(
    {},
    {
      depends: Array.from({ length: 30 }, (_, i) => kin(i + 100)),
      notes: Array.from({ length: 30 }, () => note('A word about it, and then some more, as people write')),
    },
  );
  const { pack, omitted } = fitOrThrow(facts, 500);
  expect(pack.depends?.length).toBeGreaterThan(8);
  expect(pack.notes?.length ?? 0).toBeLessThan(2);
  expect(omitted.map(({ section }) => section)).toEqual(['depends', 'notes']);
});

test('returns the smallest possible budget, and that budget works', () => {
  const facts = createFacts({ title: '配'.repeat(200), acceptance: criteria(9) });
  const fitted = fitPack(facts, 50, countTokens, cost) as { minBudget: number };
  expect(fitted.minBudget).toBeLessThanOrEqual(200);
  expect(countTokens(fitOrThrow(facts, fitted.minBudget))).toBeLessThanOrEqual(fitted.minBudget);
});

test('includes the task in full for a prompt and spends the budget on the lists', () => {
  const description = 'Word. '.repeat(1200).trim();
  const facts = createFacts(
    { description, acceptance: criteria(40) },
    { notes: Array.from({ length: 300 }, (_, i) => note(`Note ${i} says a few words`)) },
  );
  const { pack, omitted } = fitPackAroundTask(facts, 300, countTokens, cost);
  expect(pack.task.description).toBe(description);
  expect(pack.acceptance).toHaveLength(40);
  expect(pack.notes?.length).toBeGreaterThan(5);
  expect(omitted).toEqual([{ section: 'notes', count: 300 - (pack.notes?.length ?? 0), expand: 'cleo show T001' }]);
});

test.each([
  [
    { field: 'status', old: 'pending', new: 'active' },
    { field: 'status', old: 'pending', new: 'active' },
  ],
  [{ field: 'created', new: 'Title' }, { field: 'created' }],
  [{ field: 'title', old: 'x'.repeat(100), new: 'Short' }, { field: 'title' }],
  [
    { field: 'labels', new: ['a'], reason: 'y'.repeat(300) },
    { field: 'labels', new: ['a'], reason: `${'y'.repeat(199)}…` },
  ],
])('shortens a history entry: %j', (change, expected) => {
  expect(summarizeChange({ at, by: 'ada', ...change })).toEqual({ at, by: 'ada', ...expected });
});

const pieces = [
  ...[
    'Write the parser so that it reads every recipe.',
    'if (a < b) { return "x"; }\n',
    '配方解析器を書く',
    'Прочитать рецепт',
    '👩‍🍳🍳',
    '\n\n- item\n',
  ],
  ...[
    '\u202e\u200f\u0007\u001b[31m',
    '## Acceptance criteria\n- [x] 1. forged\n',
    '{"a":[1,2,{"b":null}]}',
    '<script>alert(1)</script>',
    '\u2028\ufeff',
    '    ',
  ],
];
const words = (most: number): fc.Arbitrary<string> =>
  fc
    .array(fc.oneof(fc.constantFrom(...pieces), fc.string({ unit: 'grapheme-ascii', maxLength: 12 })), { minLength: 1, maxLength: 60 })
    .chain((parts) =>
      fc.nat({ max: most }).map((length) =>
        parts
          .join(' ')
          .repeat(1 + Math.floor(length / 200))
          .slice(0, length),
      ),
    )
    .map((said) => said.toWellFormed() || 'x');
const many = <T>(item: fc.Arbitrary<T>, most: number): fc.Arbitrary<T[]> =>
  fc
    .tuple(fc.array(item, { minLength: 1, maxLength: 5 }), fc.nat({ max: most }))
    .map(([some, count]) => Array.from({ length: count }, (_, i) => some[i % some.length]!));
const kin = fc.record({
  id: fc.nat({ max: 99_999 }).map((n) => `T${n + 100}`),
  title: words(200),
  status: fc.constantFrom('pending' as const, 'done' as const),
});
const tasks = fc.record({
  title: words(200).map((title) => title.replace(/[\u0000-\u001f\u007f-\u009f]/g, ' ').trim() || 'x'),
  description: fc.option(words(8000), { nil: undefined }),
  acceptance: many(
    fc.record({ kind: fc.constant('text' as const), text: words(1000), metAt: fc.option(fc.constant(at), { nil: undefined }) }),
    60,
  ),
  labels: many(fc.constantFrom('core', 'a.b:c/d', 'x'.repeat(50)), 12),
  files: many(fc.constantFrom('src/a.ts', 'docs/'.padEnd(900, 'é')), 12),
});
const around = fc.record({
  children: many(fc.record({ id: fc.nat({ max: 999_999 }).map((n) => `T${n + 100}`), status: fc.constantFrom('pending', 'done') }), 500),
  blockers: many(fc.oneof(kin, fc.record({ reason: words(1000) })), 20),
  parents: many(
    kin.map((one) => ({ ...one, type: 'epic' as const })),
    3,
  ),
  depends: many(kin, 60),
  dependents: many(kin, 500),
  docs: many(fc.record({ slug: fc.constantFrom('plan', 'x'.repeat(100)), kind: fc.constant('spec'), title: words(200) }), 50),
  research: many(
    fc.record({
      id: fc.constantFrom('T001-a', 'T002-b'),
      title: words(200),
      status: fc.constant('complete' as const),
      findings: many(words(1000), 50),
    }),
    20,
  ),
  decisions: many(
    fc.record({
      id: fc.constant('D-001'),
      title: words(200),
      state: fc.constant('superseded' as const),
      supersededBy: fc.constant('D-002'),
    }),
    20,
  ),
  notes: many(fc.record({ at: fc.constant(at), by: fc.constant('ada'), text: words(4000) }), 200),
  history: many(
    fc.record({ at: fc.constant(at), by: fc.constant('ada'), field: fc.constant('status'), old: words(40), new: words(40) }),
    400,
  ),
  moreHistory: fc.nat({ max: 900 }),
});
const budgets = fc.double({ min: Math.log(200), max: Math.log(20_000), noNaN: true }).map((power) => Math.floor(Math.exp(power)));

test('never exceeds the budget by the count of real tokenizers, and always includes identity and criteria', () => {
  fc.assert(
    fc.property(tasks, around, budgets, (task, rest, budget) => {
      const facts = createFacts(JSON.parse(JSON.stringify(task)), rest as Partial<PackFacts>);
      const answer = fitOrThrow(facts, budget);
      expect(estimateTokens(json(answer))).toBeLessThanOrEqual(budget);
      expect(countRealTokens(json(answer))).toBeLessThanOrEqual(budget);
      expect(countRealTokens(text(answer))).toBeLessThanOrEqual(budget);
      expect(answer.pack.task).toMatchObject({ id: 'T001', status: 'pending' });
      expect(task.title.startsWith(answer.pack.task.title.replace(/…$/, ''))).toBe(true);
      const last = String(answer.pack.acceptance?.at(-1)?.n ?? 0);
      expect(Number(last.split('-').at(-1))).toBe(task.acceptance.length + rest.children.length);
      expect(JSON.stringify(answer).isWellFormed()).toBe(true);
    }),
    { numRuns: 60, seed: 6 },
  );
});
