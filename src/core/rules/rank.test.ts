import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Status } from '../model/scalars.ts';
import { containsAllWords, findCorrections, getMaxEdits, type Rankable, rank, toQueryWords, toTaskRankKey } from './rank.ts';

type Task = Rankable & { id: string; status: Status };

const task = (id: string, title: string, more: Partial<Task> = {}): Task => ({ id, title, status: 'pending', labels: [], ...more });
const order = (query: string, tasks: Task[], isPrefix = false): string[] =>
  rank(
    toQueryWords(query).map((word) => [word]),
    isPrefix,
    tasks,
    toTaskRankKey,
  ).map((t) => t.id);

test.each([
  {
    rule: 'ranks a title before a label before the text',
    query: 'parser',
    tasks: [task('T001', 'Other'), task('T002', 'Other', { labels: ['parser'] }), task('T003', 'Write the parser')],
    best: ['T003', 'T002', 'T001'],
  },
  {
    rule: 'ranks more words in the title first',
    query: 'write parser',
    tasks: [task('T001', 'The parser of it'), task('T002', 'To write, then the parser')],
    best: ['T002', 'T001'],
  },
  {
    rule: 'ranks a title with few other words first',
    query: 'parser',
    tasks: [task('T001', 'Parser'), task('T002', 'Write the parser of the other language')],
    best: ['T001', 'T002'],
  },
  {
    rule: 'ranks adjacent words first',
    query: 'write parser',
    tasks: [task('T001', 'Write parser of a b'), task('T002', 'Parser, write of a b')],
    best: ['T001', 'T002'],
  },
  {
    rule: 'ranks open before done',
    query: 'parser',
    tasks: [task('T001', 'A parser'), task('T002', 'B parser', { status: 'done' })],
    best: ['T001', 'T002'],
  },
  {
    rule: 'ranks the newest first otherwise',
    query: 'parser',
    tasks: [task('T009', 'A parser'), task('T1000', 'B parser'), task('T010', 'C parser')],
    best: ['T1000', 'T010', 'T009'],
  },
])('$rule', ({ query, tasks, best }) => {
  expect(order(query, tasks)).toEqual(best);
});

test('matches prefixes only if requested', () => {
  const tasks = [task('T001', 'Parsing'), task('T002', 'Other', { labels: ['pars'] })];
  expect(order('pars', tasks, true)).toEqual(['T001', 'T002']);
  expect(order('pars', tasks, false)).toEqual(['T002', 'T001']);
});

test('accepts any alternative of a word', () => {
  const tasks = [task('T001', 'Other'), task('T002', 'Taken'), task('T003', 'Other', { labels: ['token'] })];
  expect(rank([['taken', 'token']], false, tasks, toTaskRankKey).map((t) => t.id)).toEqual(['T002', 'T003', 'T001']);
});

test('ranks outdated entries last, even if they match better', () => {
  const toRankKey = ({ status }: Task) => ({ outdated: Number(status === 'done'), early: 0, late: 0, seq: 1 });
  const tasks = [task('T001', 'Parser', { status: 'done' }), task('T002', 'Other')];
  expect(rank([['parser']], false, tasks, toRankKey).map((t) => t.id)).toEqual(['T002', 'T001']);
});

test.each([
  { word: 'parsr', edits: 1, vocabulary: ['parser', 'parsers', 'parsr', 'pars', 'token'], meant: ['pars', 'parser'] },
  { word: 'parsr', edits: 2, vocabulary: ['parser', 'parsers', 'parsr', 'pars', 'token'], meant: ['parsers'] },
  { word: 'the', edits: 1, vocabulary: ['he', 'then', 'other', 'teh'], meant: ['he', 'teh', 'then'] },
  {
    word: 'a',
    edits: 1,
    vocabulary: Array.from({ length: 26 }, (_, i) => String.fromCharCode(122 - i)),
    meant: [...'bcdefghijklmnopqrstu'],
  },
])('corrects $word with $edits edits to $meant', ({ word, edits, vocabulary, meant }) => {
  expect(findCorrections(word, edits, vocabulary)).toEqual(meant);
});

test.each([
  ['ab', 0],
  ['abc', 1],
  ['token', 1],
  ['parser', 2],
  ['http2', 0],
  ['version٣', 0],
  ['größer', 2],
])('%s may have %i typos', (word, edits) => {
  expect(getMaxEdits(word)).toBe(edits);
});

test.each([
  { query: 'write parser', title: 'The parser: write it', labels: [], isPlain: true },
  { query: 'write parser', title: 'The parser', labels: ['to write'], isPlain: true },
  { query: 'write parser', title: 'The parser', labels: ['writer'], isPlain: false },
  { query: 'pars', title: 'The parser', labels: [], isPlain: false },
])('$title $labels contains all words of $query: $isPlain', ({ query, title, labels, isPlain }) => {
  expect(
    containsAllWords(
      toQueryWords(query).map((word) => [word]),
      title,
      labels,
    ),
  ).toBe(isPlain);
});

test('keeps each query word once', () => {
  expect(toQueryWords('The the PARSER')).toEqual(['the', 'parser']);
  expect(toQueryWords('!?')).toEqual([]);
  expect(toQueryWords(Array.from({ length: 500 }, (_, i) => `w${i}`).join(' '))).toHaveLength(32);
});

const anyTask = fc.record({
  id: fc.integer({ min: 1, max: 5000 }).map((n) => `T${String(n).padStart(3, '0')}`),
  title: fc
    .array(fc.constantFrom('write', 'the', 'parser', 'parse', 'Übung', '漢字', 'x'), { maxLength: 5 })
    .map((words) => words.join(' ')),
  status: fc.constantFrom<Status>('pending', 'active', 'blocked', 'done'),
  labels: fc.subarray(['parser', 'api', 'write']),
});

test('does not depend on the order of the candidates and loses none', () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(anyTask, { selector: (t) => t.id, maxLength: 30 }),
      fc.constantFrom('parser', 'write parser', 'pars', '漢', 'the x write'),
      fc.boolean(),
      fc.infiniteStream(fc.nat()),
      (tasks, query, isPrefix, dice) => {
        const shuffled = tasks.map((t) => ({ t, at: dice.next().value as number })).sort((a, b) => a.at - b.at);
        const ranked = order(query, tasks, isPrefix);
        expect(
          order(
            query,
            shuffled.map(({ t }) => t),
            isPrefix,
          ),
        ).toEqual(ranked);
        expect([...ranked].sort()).toEqual(tasks.map((t) => t.id).sort());
      },
    ),
  );
});
