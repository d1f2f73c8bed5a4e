import { expect, test } from 'vitest';
import type { ProgressState, RunEvent } from '#core/model/progress.ts';
import { formatSeconds, runProgress } from './run-progress.ts';

const { initialState: begin, step, formatStatus } = runProgress;
const now = (state: ProgressState, atMs: number) => formatStatus(state, atMs, 80);
const about = { execution_id: 'run-1:design:shape', phase: 'design', skill: 'shape' };
const started: RunEvent = { event: 'run_started', data: { phases: ['discovery', 'design'] }, about: {} };
const entered: RunEvent = { event: 'execution_progress', data: { kind: 'phase_entered' }, about: { phase: 'design' } };
const check = (passed: boolean, message = 'x') => ({ name: 'n', passed, message });
const gate = (data: object): RunEvent => ({ event: 'gate_checked', data: { gate_id: 1, name: 'precondition', ...data }, about });
const after = (events: [RunEvent, atMs: number][]): ProgressState =>
  events.reduce((state, [event, atMs]) => step(state, event, atMs).state, begin);

test.each<[string, RunEvent, string[]]>([
  ['a phase and its position', entered, ['phase design (2 of 2)']],
  [
    'a passed gate with the number of checks',
    gate({ status: 'passed', passed: true, checks_performed: [check(true), check(true)] }),
    ['success shape · precondition gate · 2 checks'],
  ],
  [
    'a gate with one check',
    gate({ status: 'passed', passed: true, checks_performed: [check(true)] }),
    ['success shape · precondition gate · 1 check'],
  ],
  ['nothing for a skipped gate', gate({ status: 'skipped', passed: true, checks_performed: [] }), []],
  [
    'a failed gate with all failures',
    gate({ status: 'failed', passed: false, severity: 'block', failures_if_any: [check(false, 'a.md does not exist'), check(false, 'b')] }),
    ['failure shape · precondition gate · a.md does not exist · b'],
  ],
  [
    'a rejected handoff without its reason',
    gate({ status: 'failed', passed: false, severity: 'block', failures_if_any: [{ name: 'handoff:look', message: 'long' }] }),
    ['failure shape · precondition gate · the handoff was rejected'],
  ],
  [
    'a gate that only warns',
    gate({ status: 'failed', passed: false, severity: 'warn', failures_if_any: [check(false, 'b')] }),
    ['warning shape · precondition gate · b'],
  ],
  [
    'a forced gate',
    gate({ status: 'passed', passed: true, overridden: true, failures_if_any: [check(false, 'b')] }),
    ['warning shape · precondition gate · forced · b'],
  ],
  [
    'a pending gate',
    gate({ gate_id: 4, name: 'goal', status: 'pending', passed: false }),
    ['pending shape · goal gate · waiting for a review'],
  ],
  [
    'an attempt that succeeds',
    { event: 'attempt_completed', data: { exit_code: 0, class: 'success', duration_ms: 1234 }, about: { ...about, attempt: 1 } },
    ['success shape · attempt 1 · exit 0 · 1.2 s'],
  ],
  [
    'a failed attempt with its class',
    { event: 'attempt_completed', data: { exit_code: 75, class: 'temporary', duration_ms: 61_000 }, about: { ...about, attempt: 2 } },
    ['failure shape · attempt 2 · exit 75 (temporary) · 61 s'],
  ],
  [
    'a retry',
    { event: 'execution_progress', data: { kind: 'note', note: 'x', retry_in_ms: 1500 }, about: { ...about, attempt: 1 } },
    ['retry shape · attempt 2 in 1.5 s'],
  ],
  ['a note', { event: 'execution_progress', data: { kind: 'note', note: 'half way' }, about }, ['note shape · half way']],
  ['a written file', { event: 'execution_progress', data: { kind: 'artifact_created', path: 'sdd.md' }, about }, ['output shape · sdd.md']],
  [
    'the verdict of a judge',
    { event: 'judge_called', data: { verdict: 'pass', score: 0.9, cached: false }, about },
    ['note shape · judge: pass 0.9'],
  ],
  [
    'a cached verdict',
    { event: 'judge_called', data: { verdict: 'pass', score: 1, cached: true }, about },
    ['note shape · judge: pass 1 · cached'],
  ],
  ['a judge without a verdict', { event: 'judge_called', data: { error: 'ended with 3' }, about }, ['warning shape · judge: ended with 3']],
  [
    'a review',
    { event: 'review_requested', data: { review_id: 'rv-1', kind: 'goal', reason: 'there is no judge' }, about },
    ['pending shape · review rv-1 · there is no judge'],
  ],
  [
    'an accepted handoff',
    handoff({ accepted: true, validation_result: { completeness: 0.999, warnings: [] } }),
    ['success discovery → design · accepted · 99 % complete'],
  ],
  [
    'a handoff without schemas',
    handoff({ accepted: true, validation_result: { completeness: null, warnings: [] } }),
    ['success discovery → design · accepted'],
  ],
  [
    'a rejected handoff',
    handoff({ accepted: false, rejection_reason: 'prd.md does not exist' }),
    ['failure discovery → design · rejected: prd.md does not exist'],
  ],
  [
    'a handoff accepted with warnings',
    handoff({ accepted: true, validation_result: { completeness: 0, warnings: ['prd.md is empty'] } }),
    ['warning discovery → design · accepted with warnings: prd.md is empty'],
  ],
  [
    'a handoff that is not checked',
    handoff({ accepted: true, validation_result: { skipped: true } }),
    ['success discovery → design · not checked'],
  ],
  [
    'up to three warnings, without those of gates',
    {
      event: 'execution_complete',
      data: {
        warnings: [{ code: 'gate_output', message: 'said' }, ...['a', 'b', 'c', 'd', 'e'].map((message) => ({ code: 'x', message }))],
      },
      about,
    },
    ['warning shape · a', 'warning shape · b', 'warning shape · c', 'warning shape · and 2 more warnings'],
  ],
  ['nothing for an unknown event', { event: 'tea_served', data: {}, about: {} }, []],
])('reports %s', (_, event, lines) => {
  expect(step(after([[started, 0]]), event, 0).lines.map(({ mark, text }) => `${mark} ${text}`)).toEqual(lines);
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
    'the time until the next attempt',
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
    'a retry that is due',
    [
      [entered, 0],
      [retry, 0],
    ],
    9000,
    'design · shape · attempt 2 in 0.0 s',
  ],
  [
    'checks',
    [
      [entered, 0],
      [gate({ status: 'passed', passed: true }), 0],
    ],
    100,
    'design · shape · checks · 0.1 s',
  ],
  [
    'all parallel skills',
    [
      [entered, 0],
      [attempt(1), 0],
      [attempt(1, other), 1000],
    ],
    12_000,
    'design · shape, draw · 12 s',
  ],
  [
    'the skills that still run',
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
])('the status line shows %s', (_, events, atMs, line) => {
  expect(now(after(events), atMs)).toBe(line);
});

test('formats seconds with one decimal below ten', () => {
  expect([0, 40, 1234, 9949, 9950, 61_000].map(formatSeconds)).toEqual(['0.0 s', '0.0 s', '1.2 s', '9.9 s', '10 s', '61 s']);
});
