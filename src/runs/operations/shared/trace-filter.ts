import { check, description, maxLength, metadata, optional, picklist, pipe, string } from 'valibot';
import { defined } from '#lib/collections.ts';
import type { RunnerPlatform } from '#platform/runner/port.ts';
import { runGateNames } from '../../model/execution.ts';
import type { TraceLine } from '../../model/trace.ts';
import { parseEvents } from '../../rules/trace.ts';
import { createPhaseFilter, parsePeriod, type TraceFilter } from '../../rules/trace-query.ts';
import { formatProblems } from './trace-shapes.ts';

const name = (about: string, value: string) =>
  optional(pipe(string(), maxLength(200, 'must have at most 200 characters'), description(about), metadata({ value })));

const time = (about: string) =>
  optional(
    pipe(
      string(),
      check(
        (text) => parsePeriod(text, '2026-01-01T00:00:00.000Z') !== undefined,
        'must be 30d, 12h, last-month, today, 2026, 2026-01, 2026-01-31 or a time in ISO 8601',
      ),
      description(about),
      metadata({ value: 'TIME' }),
    ),
  );

/** Filter parameters of `trace query`. */
export const filterParams = {
  event: name('Only events with this name, such as gate_checked', 'EVENT'),
  phase: name('Only events of this phase, by name or number', 'PHASE'),
  skill: name('Only events of this skill', 'SKILL'),
  status: name('Only events with this status; failed and passed match all kinds of events', 'STATUS'),
  gate: optional(pipe(picklist(runGateNames), description('Only events of this run gate'))),
  since: time('Only events since this time: 30d, last-month, a year, month, day or time'),
  until: time('Only events until the end of this time'),
};

export function createTraceFilter(
  now: string,
  { since, until, ...rest }: { [K in keyof typeof filterParams]?: string | undefined },
): TraceFilter {
  return {
    ...rest,
    ...defined({ since: since && parsePeriod(since, now)!.from, until: until && parsePeriod(until, now)!.to }),
  };
}

/** Calls `step` for every event, or every event of a phase, in all traces that can match the filter. */
export function readMatchingTraces(
  runner: RunnerPlatform,
  { until, phase }: TraceFilter,
  step: (line: TraceLine) => void,
): { warnings: string[]; traces: number } {
  const warnings: string[] = [];
  let traces = 0;
  for (const { name } of runner.traces.list()) {
    // A run that started later has no events before `until`.
    if (until !== undefined && name.slice(0, 10) > until.slice(0, 10)) continue;
    traces += 1;
    const { lines, problems } = parseEvents(runner.traces.read(name)?.text ?? '');
    const matchesPhase = createPhaseFilter(phase);
    for (const { line } of lines) if (matchesPhase(line)) step(line);
    if (warnings.length < 20) warnings.push(...formatProblems(name, problems));
  }
  return { warnings, traces };
}
