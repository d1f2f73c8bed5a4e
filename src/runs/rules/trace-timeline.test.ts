import { expect, test } from 'vitest';
import type { TraceLine } from '../model/trace.ts';
import { toTimeline } from './trace-timeline.ts';

let seq = 0;
const line = (event: string, data: object, about: Partial<TraceLine> = {}): TraceLine => ({
  ...{ ts: `2026-01-01T00:00:00.${String(++seq).padStart(3, '0')}Z`, event, data: data as Record<string, unknown>, v: 1, seq },
  ...{ run_id: 'run-1', prev: 'genesis' },
  ...about,
});

test('converts a trace into steps', () => {
  const about = { execution_id: 'e', phase: 'build', skill: 'coder' };
  const failure = { name: 'prd_exists', passed: false, message: 'prd.md is missing' };
  const steps = toTimeline([
    line('run_started', {}),
    line('execution_progress', { kind: 'phase_entered' }, { phase: 'build' }),
    line(
      'gate_checked',
      { gate_id: 1, name: 'precondition', status: 'failed', checks_performed: [failure], overridden: true, reason: 'known' },
      about,
    ),
    line('attempt_started', {}, { ...about, attempt: 1 }),
    line('attempt_completed', { exit_code: 75, class: 'temporary', duration_ms: 9 }, { ...about, attempt: 1 }),
    line('attempt_started', {}, { ...about, attempt: 2 }),
    line('handoff_attempted', { from_phase: 'a', to_phase: 'b', accepted: false, rejection_reason: 'incomplete' }),
    line('from_later', { status: ['odd'] }),
    line(
      'execution_complete',
      {
        status: 'failure',
        exit_code: 75,
        errors: [{ code: 'x', message: 'gone' }, null, 3, { message: 'prd_exists: prd.md is missing' }],
        warnings: 'odd',
      },
      about,
    ),
  ]);
  expect(steps.map(({ atMs, event, status, exitCode, attempt, notes }) => [atMs, event, status, exitCode, attempt, notes])).toEqual([
    [0, 'run_started', undefined, undefined, undefined, undefined],
    [1, 'phase_entered', undefined, undefined, undefined, undefined],
    [2, 'gate_checked', 'failed', undefined, undefined, ['prd_exists: prd.md is missing', 'forced: known']],
    [4, 'attempt_completed', 'temporary', 75, 1, undefined],
    [5, 'attempt_started', undefined, undefined, 2, undefined],
    [6, 'handoff_attempted', 'rejected', undefined, undefined, ['a → b', 'incomplete']],
    [7, 'from_later', undefined, undefined, undefined, undefined],
    [8, 'execution_complete', 'failure', 75, undefined, ['gone']],
  ]);
  expect(toTimeline([])).toEqual([]);
});
