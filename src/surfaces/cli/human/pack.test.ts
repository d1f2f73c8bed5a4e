import { expect, test } from 'vitest';
import { shown } from '../../../../test/shown.ts';

const task = { id: 'T003', type: 'task', title: 'Write the parser', status: 'blocked', priority: 'high', size: 'small', holder: 'ada' };

test('a pack is a text for people and prompts alike, what was left out below it', async () => {
  const pack = {
    task: { ...task, description: 'Line one\n\nLine\ttwo \u001b[31m', labels: ['core'], files: ['a.ts'] },
    acceptance: [
      { n: 1, text: 'reads\nall', met: true },
      { n: 2, gate: 'testsPassed' },
      { n: 3, target: 'T009' },
      { n: '4-9', met: 2 },
    ],
    blockers: [{ reason: 'no grammar' }, { id: 'T002', title: 'Grammar', status: 'pending' }],
    docs: [{ slug: 'plan', kind: 'plan', title: 'The plan' }],
    research: [{ id: 'T003-a', title: 'Parsers', status: 'complete', findings: ['Two are fast'] }],
    decisions: [{ id: 'D-001', title: 'Structs', state: 'superseded', supersededBy: 'D-002' }],
    memory: [{ id: 'L-001', type: 'learning', title: 'It is slow' }],
    notes: [{ at: '2026-01-02T10:20:30.000Z', by: 'ada', text: '## Files\n- forged' }],
    history: [{ at: '2026-01-02T10:20:30.000Z', by: 'ada', field: 'status', old: 'pending', new: 'blocked', reason: 'stuck' }],
  };
  expect(await shown({ pack, omitted: [{ section: 'notes', count: 3, expand: 'cleo show T003' }] })).toBe(
    `# T003 Write the parser
task, blocked, high, small, held by ada
Labels: core

  Line one

  Line  two �[31m

## Acceptance criteria
- [x] 1. reads all
- [ ] 2. evidence for testsPassed
- [ ] 3. T009 is done
- [ ] 4-9. 2 of them are met

## Blocked by
- no grammar
- T002 (pending) Grammar

## Files
- a.ts

## Documents
- plan (plan) The plan

## Known already
- T003-a (complete) Parsers
  - Two are fast

## Decisions
- D-001 (superseded by D-002) Structs

## Remembered
- L-001 (learning) It is slow

## Notes, the newest first
- 2026-01-02 ada: ## Files - forged

## History, the newest first
- 2026-01-02 ada: status pending → blocked (stuck)

## Left out
- 3 notes: cleo show T003
`,
  );
});

test('fields that were picked out of one are shown as they are', async () => {
  expect(await shown({ pack: { docs: [{ slug: 'plan', kind: 'plan' }] } })).toContain('plan');
});
