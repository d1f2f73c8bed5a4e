import { expect, test } from 'vitest';
import { renderWith } from '../../../test/render.ts';
import { chainLines, createTraceLines } from '../../../test/run-files.ts';
import { runView } from '../view.ts';

const render = renderWith(runView);

import type { TraceLine } from '../model/trace.ts';
import { toTimeline } from '../rules/trace-timeline.ts';

const run = {
  ...{
    id: 'run-a',
    status: 'failure',
    kind: 'construct',
    name: 'demo',
    project: 'demo',
    exitCode: 65,
    startedAt: '2026-01-01T00:00:00.000Z',
  },
  ...{
    completedAt: '2026-01-01T00:00:00.014Z',
    durationMs: 14,
    executions: 2,
    failed: 1,
    lines: 15,
    trace: 'x.jsonl',
    taskId: null,
    agent: 'ada',
  },
  resumable: false,
};
const later = { timestamp: '2026-01-01T02:00:00.000Z' };

test('draws runs as a table, with the command that resumes an interrupted one', async () => {
  const crashed = { ...run, id: 'run-b', status: 'crashed', exitCode: null, durationMs: null, failed: 0, executions: 1, resumable: true };
  expect(await render({ runs: [crashed, { ...run, status: 'success', exitCode: 0, durationMs: 72_000 }, run] }, later)).toBe(
    [
      'STATUS   RUN    OF    EXIT  BEGAN   TOOK     EXECUTIONS',
      'crashed  run-b  demo        2h ago           1',
      '✓ ok     run-a  demo  0     2h ago  1.2 min  2, 1 failed',
      'failure  run-a  demo  65    2h ago  14 ms    2, 1 failed',
      '',
      'resume with  cleo construct run --resume run-b',
      '',
    ].join('\n'),
  );
});

test('draws the steps of a run', async () => {
  const steps = toTimeline(createTraceLines({ id: 'run-a', status: 'failure' }).map((line) => JSON.parse(line) as TraceLine));
  expect(await render({ trace: { run, steps } }, later)).toBe(
    [
      'run-a  demo · failure (65) · 14 ms · 2 executions',
      '0 ms   · run started',
      '1 ms   ▸ discovery',
      '2 ms     · selection gate skipped',
      '3 ms     ✓ precondition gate passed',
      '4 ms     · writer 1.0.0',
      '6 ms     ✓ attempt 1 success (0) 40 ms',
      '7 ms     ✓ execution gate passed',
      '8 ms     ✓ writer success (0) 50 ms',
      '9 ms     · discovery is over',
      '10 ms  ▸ design',
      '11 ms    ✗ handoff rejected · discovery → design · prd.md is too incomplete',
      '12 ms    ✗ precondition gate failed',
      '             prd_completeness: prd.md has 0.4 of 0.8',
      '13 ms    ✗ architect failure (65) 20 ms',
      '14 ms  ✗ run failure (65)',
      '',
    ].join('\n'),
  );
});

test('draws trace lines, verified traces and pending reviews', async () => {
  const lines = createTraceLines({ id: 'run-a' })
    .slice(-2)
    .map((line) => JSON.parse(line) as TraceLine);
  expect(await render({ lines }, later)).toBe(
    [
      '00:00:00.013  execution_complete  design/architect  {"status":"success","exit_c…',
      '00:00:00.014  run_completed  {"status":"success","exit_code":0,"warnings":[]}',
      '',
    ].join('\n'),
  );
  expect(await render({ lines: [lines[1]!, { ...lines[1]!, run_id: 'run-b' }] }, later)).toMatch(
    /^2026-01-01 00:00:00.014 {2}run-a {2}run_completed/,
  );
  expect(await render({ traces: [{ run: 'run-a', trace: 'x', lines: 2, head: 'abc' }] })).toBe('✓ run-a  2 lines\n  abc\n');
  const waits = {
    id: 'rv-1',
    status: 'open',
    runId: 'run-a',
    phase: 'design',
    skill: 'architect',
    kind: 'goal',
    reason: 'no judge',
    resolved: '0/1',
    requestedAt: '2025-12-31T22:00:00.000Z',
  };
  expect(await render({ reviews: [waits] })).toBe(
    ['ID    STATE  OF                VERDICTS  ASKED   WHY', 'rv-1  open   design/architect  0/1       2h ago  no judge', ''].join('\n'),
  );
});

test('escapes control characters of a trace', async () => {
  const evil = chainLines('run-a', run.startedAt, [['note\u001b[2J', { text: '\u001b]0;x\u0007' }, { phase: 'a\nb', skill: '\u009b31m' }]]);
  const lines = evil.map((line) => JSON.parse(line) as TraceLine);
  for (const text of [await render({ lines }), await render({ trace: { run: { ...run, name: '\u001b[2J' }, steps: toTimeline(lines) } })])
    expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/);
});

test('draws a review before and after its verdict', async () => {
  const review = {
    ...{
      id: 'rv-1',
      status: 'claimed',
      runId: 'run-a',
      executionId: 'e',
      phase: 'design',
      skill: 'architect',
      kind: 'goal',
      goal: 'An SDD',
    },
    ...{ reason: 'a person is to judge it', requestedAt: run.startedAt, reviewersRequired: 2, verdict: null, humanMean: 0.9 },
    claims: [{ by: 'bob', until: '2026-01-01T03:00:00.000Z' }],
    resolutions: [{ by: 'ada', verdict: 'pass', score: 0.9, note: 'All there', at: run.startedAt, isAmended: false, isInformed: true }],
  };
  expect(await render({ review }, later)).toBe(
    [
      'rv-1  claimed  run-a design architect',
      'goal        An SDD',
      'why         a person is to judge it',
      'claimed by  bob, lapses in 1h',
      'verdicts    1 of 2, mean 0.9',
      '✓ ada 0.9, knowing what the judge said',
      '    All there',
      '',
    ].join('\n'),
  );
  expect(await render({ review: { ...review, judgeScore: 0.4, humanMean: null, claims: [], resolutions: [] } }, later)).toMatch(
    /\njudge +0\.4\n/,
  );
});
