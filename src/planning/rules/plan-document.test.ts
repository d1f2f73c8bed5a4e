import { expect, test } from 'vitest';
import { createTaskRecord } from '../../../test/task-record.ts';
import { formatAgentPlan, formatMaintainerPlan, type PlanFacts } from './plan-document.ts';

const root = createTaskRecord('T001', {
  type: 'epic',
  title: 'Parser',
  description: 'Reads.\n# Not a heading',
  acceptance: [{ kind: 'text', text: 'reads all', metAt: 'x' }],
});
const tasks = [
  createTaskRecord('T002', {
    title: 'Read',
    parentId: 'T001',
    priority: 'high',
    size: 'small',
    acceptance: [
      { kind: 'text', text: 'reads' },
      { kind: 'evidence_bound', gate: 'testsPassed' },
    ],
    files: ['src/read.ts'],
  }),
  createTaskRecord('T003', { title: 'Write', parentId: 'T001', depends: ['T002'], status: 'active' }),
  createTaskRecord('T004', { title: 'Send', parentId: 'T001' }),
  createTaskRecord('T009', { title: 'Elsewhere' }),
];
const facts: PlanFacts = {
  root,
  progress: { done: 1, total: 4 },
  waves: {
    waves: [['T002'], ['T003']],
    criticalPath: ['T002', 'T003'],
    blocked: [
      {
        id: 'T004',
        reasons: [
          { kind: 'external', on: 'T009' },
          { kind: 'stated', text: 'no key' },
        ],
      },
    ],
    cycles: [],
    externalBlockers: [{ id: 'T009', blocks: ['T004'] }],
  },
  tasks: new Map(tasks.map((one) => [one.id, one])),
  done: [{ id: 'T005', title: 'Look' }],
  relations: [{ from: 'T002', to: 'T009', type: 'extends', reason: 'the same\ngrammar' }],
};

test('formats a compact plan for an agent', () => {
  expect(formatAgentPlan(facts)).toBe(`# Plan T001: Parser

1 of 4 done (25 %).

## Wave 1

- [ ] T002 Read (high, small)
  - [ ] reads
  - [ ] evidence for testsPassed
  - files: src/read.ts

## Wave 2

- [ ] T003 Write (medium, active) after T002

## Blocked

- T004 Send: waits for T009, which is outside the plan; no key

## Critical path

T002 → T003

## Start

\`cleo next --epic T001\`, then \`cleo focus set <id>\`
`);
});

test('formats a plan in sentences for people, and quotes descriptions', () => {
  expect(formatMaintainerPlan(facts)).toBe(`# Plan for T001: Parser

> Reads.
> # Not a heading

1 of 4 done (25 %). The 2 tasks that can be planned take 2 waves. The longest chain is T002, then T003. 1 is blocked.

## Acceptance criteria

- [x] reads all

## Wave 1: can start now

### T002 Read

A small task of high priority. T003 waits for it.

- [ ] reads
- [ ] evidence for testsPassed

Files: \`src/read.ts\`

- T002 extends T009: the same grammar

## Wave 2

Each task of a wave waits only for the waves before it; the tasks of one wave can be done in parallel.

### T003 Write

A task of medium priority. It is being worked on. It comes after T002.

## Blocked

- T004, Send: waits for T009, which is outside the plan; no key.

## External blockers

- T009 Elsewhere, for T004

## Done

- [x] T005 Look
`);
});

test.each<[string, Partial<PlanFacts>, string]>([
  ['everything is done', { progress: { done: 4, total: 4 } }, 'Nothing is left to do.'],
  ['nothing can start', { progress: { done: 0, total: 4 } }, 'Nothing can start.'],
])('says that %s', (_, more, sentence) => {
  const idle = { waves: [], criticalPath: [], blocked: [], cycles: [], externalBlockers: [] };
  const { root: __, ...rest } = facts;
  expect(formatMaintainerPlan({ ...rest, ...more, waves: idle, done: [] })).toContain(sentence);
  expect(formatAgentPlan({ ...rest, ...more, waves: idle })).toMatch(/^# Plan\n\n\d of 4 done \(\d+ %\)\.\n$/);
});
