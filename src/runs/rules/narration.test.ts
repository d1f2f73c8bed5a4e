import { expect, test } from 'vitest';
import type { ProgressState, RunEvent } from '#core/model/progress.ts';
import { runNarration, seconds } from './narration.ts';

const { begin, step, now } = runNarration;
const about = { execution_id: 'run-1:design:shape', phase: 'design', skill: 'shape' };
const started: RunEvent = { event: 'run_started', data: { phases: ['discovery', 'design'] }, about: {} };
const entered: RunEvent = { event: 'execution_progress', data: { kind: 'phase_entered' }, about: { phase: 'design' } };
const check = (passed: boolean, message = 'x') => ({ name: 'n', passed, message });
const gate = (data: object): RunEvent => ({ event: 'gate_checked', data: { gate_id: 1, name: 'precondition', ...data }, about });
const after = (happenings: [RunEvent, atMs: number][]): ProgressState =>
  happenings.reduce((tale, [happening, atMs]) => step(tale, happening, atMs).tale, begin);

test.each<[string, RunEvent, string[]]>([
  ['a phase, and how many there are', entered, ['phase design (2 of 2)']],
  [
    'a gate that holds, with its checks',
    gate({ status: 'passed', passed: true, checks_performed: [check(true), check(true)] }),
    ['good shape · gate 1 precondition · 2 checks'],
  ],
  ['one check', gate({ status: 'passed', passed: true, checks_performed: [check(true)] }), ['good shape · gate 1 precondition · 1 check']],
  ['nothing of a gate that was left out', gate({ status: 'skipped', passed: true, checks_performed: [] }), []],
  [
    'a gate that does not hold, with everything that fails',
    gate({ status: 'failed', passed: false, severity: 'block', failures_if_any: [check(false, 'a.md is not there'), check(false, 'b')] }),
    ['bad shape · gate 1 precondition · a.md is not there · b'],
  ],
  [
    'that a handoff was refused, but not why once more',
    gate({ status: 'failed', passed: false, severity: 'block', failures_if_any: [{ name: 'handoff:look', message: 'long' }] }),
    ['bad shape · gate 1 precondition · it was not handed what it needs'],
  ],
  [
    'one that only warns',
    gate({ status: 'failed', passed: false, severity: 'warn', failures_if_any: [check(false, 'b')] }),
    ['odd shape · gate 1 precondition · b'],
  ],
  [
    'one that somebody forced',
    gate({ status: 'passed', passed: true, overridden: true, failures_if_any: [check(false, 'b')] }),
    ['odd shape · gate 1 precondition · forced · b'],
  ],
  [
    'one that waits for somebody',
    gate({ gate_id: 4, name: 'goal', status: 'pending', passed: false }),
    ['open shape · gate 4 goal · somebody has to judge it'],
  ],
  [
    'an attempt that succeeds',
    { event: 'attempt_completed', data: { exit_code: 0, class: 'success', duration_ms: 1234 }, about: { ...about, attempt: 1 } },
    ['good shape · attempt 1 · exit 0 · 1.2 s'],
  ],
  [
    'one that fails, and as what',
    { event: 'attempt_completed', data: { exit_code: 75, class: 'temporary', duration_ms: 61_000 }, about: { ...about, attempt: 2 } },
    ['bad shape · attempt 2 · exit 75 (temporary) · 61 s'],
  ],
  [
    'when it is tried again',
    { event: 'execution_progress', data: { kind: 'note', note: 'x', retry_in_ms: 1500 }, about: { ...about, attempt: 1 } },
    ['again shape · attempt 2 in 1.5 s'],
  ],
  ['a note', { event: 'execution_progress', data: { kind: 'note', note: 'half way' }, about }, ['note shape · half way']],
  ['a file', { event: 'execution_progress', data: { kind: 'artifact_created', path: 'sdd.md' }, about }, ['made shape · sdd.md']],
  [
    'what a judge says',
    { event: 'judge_called', data: { verdict: 'pass', score: 0.9, cached: false }, about },
    ['note shape · judge: pass 0.9'],
  ],
  [
    'what it said before',
    { event: 'judge_called', data: { verdict: 'pass', score: 1, cached: true }, about },
    ['note shape · judge: pass 1 · as before'],
  ],
  ['that it says nothing', { event: 'judge_called', data: { error: 'ended with 3' }, about }, ['odd shape · judge: ended with 3']],
  [
    'a review',
    { event: 'review_requested', data: { review_id: 'rv-1', kind: 'goal', reason: 'there is no judge' }, about },
    ['open shape · review rv-1 · there is no judge'],
  ],
  [
    'a handoff that is accepted',
    handoff({ accepted: true, validation_result: { completeness: 0.999, warnings: [] } }),
    ['good discovery → design · accepted · complete to 99 %'],
  ],
  [
    'one of things that have no schema',
    handoff({ accepted: true, validation_result: { completeness: null, warnings: [] } }),
    ['good discovery → design · accepted'],
  ],
  [
    'one that is refused',
    handoff({ accepted: false, rejection_reason: 'prd.md is not there' }),
    ['bad discovery → design · refused: prd.md is not there'],
  ],
  [
    'one that is let through',
    handoff({ accepted: true, validation_result: { completeness: 0, warnings: ['prd.md is empty'] } }),
    ['odd discovery → design · accepted, though prd.md is empty'],
  ],
  [
    'one that nobody looks at',
    handoff({ accepted: true, validation_result: { skipped: true } }),
    ['good discovery → design · not looked at'],
  ],
  [
    'warnings, but not twice, and not all',
    {
      event: 'execution_complete',
      data: {
        warnings: [{ code: 'gate_output', message: 'said' }, ...['a', 'b', 'c', 'd', 'e'].map((message) => ({ code: 'x', message }))],
      },
      about,
    },
    ['odd shape · a', 'odd shape · b', 'odd shape · c', 'odd shape · and 2 more warnings'],
  ],
  ['nothing of what nobody knows', { event: 'tea_served', data: {}, about: {} }, []],
])('it tells %s', (_, happening, lines) => {
  expect(step(after([[started, 0]]), happening, 0).lines.map(({ mark, text }) => `${mark} ${text}`)).toEqual(lines);
});

function handoff(data: object): RunEvent {
  return { event: 'handoff_attempted', data: { from_phase: 'discovery', to_phase: 'design', ...data }, about: {} };
}

const attempt = (n: number, who = about): RunEvent => ({ event: 'attempt_started', data: {}, about: { ...who, attempt: n } });
const other = { ...about, execution_id: 'run-1:design:draw', skill: 'draw' };
const retry: RunEvent = { event: 'execution_progress', data: { kind: 'note', retry_in_ms: 5000 }, about: { ...about, attempt: 1 } };
const ended: RunEvent = { event: 'execution_complete', data: {}, about };

test.each<[string, [RunEvent, number][], number, string | undefined]>([
  ['nothing before the first phase', [[started, 0]], 1000, undefined],
  [
    'the phase',
    [
      [started, 0],
      [entered, 0],
    ],
    1000,
    'design (2 of 2)',
  ],
  [
    'the attempt, and for how long',
    [
      [started, 0],
      [entered, 0],
      [attempt(2), 1000],
    ],
    4500,
    'design (2 of 2) · shape · attempt 2 · 3.5 s',
  ],
  [
    'how long until the next',
    [
      [started, 0],
      [entered, 0],
      [attempt(1), 0],
      [retry, 1000],
    ],
    2000,
    'design (2 of 2) · shape · attempt 2 in 4.0 s',
  ],
  [
    'that it is due',
    [
      [entered, 0],
      [retry, 0],
    ],
    9000,
    'design · shape · attempt 2 in 0.0 s',
  ],
  [
    'that it is checked',
    [
      [entered, 0],
      [gate({ status: 'passed', passed: true }), 0],
    ],
    100,
    'design · shape · checks · 0.1 s',
  ],
  [
    'all that run side by side',
    [
      [entered, 0],
      [attempt(1), 0],
      [attempt(1, other), 1000],
    ],
    12_000,
    'design · shape, draw · 12 s',
  ],
  [
    'those that still do',
    [
      [entered, 0],
      [attempt(1), 0],
      [attempt(1, other), 1000],
      [ended, 2000],
    ],
    3000,
    'design · draw · attempt 1 · 2.0 s',
  ],
  [
    'nothing at the end',
    [
      [entered, 0],
      [attempt(1), 0],
      [{ event: 'run_completed', data: {}, about: {} }, 0],
    ],
    1,
    undefined,
  ],
])('below stands %s', (_, happenings, atMs, line) => {
  expect(now(after(happenings), atMs)).toBe(line);
});

test('seconds are told to the tenth where that is much', () => {
  expect([0, 40, 1234, 9949, 9950, 61_000].map(seconds)).toEqual(['0.0 s', '0.0 s', '1.2 s', '9.9 s', '10 s', '61 s']);
});
