import { check, description, maxLength, metadata, optional, picklist, pipe, string } from 'valibot';
import type { Ground } from '#platform/ground-port.ts';
import { gateNames } from '../../model/execution.ts';
import type { TraceLine } from '../../model/trace.ts';
import { eventsIn } from '../../rules/trace.ts';
import { periodOf, phaseSeeker, type TraceFilter } from '../../rules/trace-query.ts';
import { problemLines } from './trace-shapes.ts';

const named = (about: string, value: string) =>
  optional(pipe(string(), maxLength(200, 'must have at most 200 characters'), description(about), metadata({ value })));

const moment = (about: string) =>
  optional(
    pipe(
      string(),
      check(
        (text) => periodOf(text, '2026-01-01T00:00:00.000Z') !== undefined,
        'must be 30d, 12h, last-month, today, 2026, 2026-01, 2026-01-31 or a time in ISO 8601',
      ),
      description(about),
      metadata({ value: 'TIME' }),
    ),
  );

/** What a query may ask for. */
export const filterParams = {
  event: named('Only events of this name, e.g. gate_checked', 'EVENT'),
  phase: named('Only of this phase, by its name or its place among the phases', 'PHASE'),
  skill: named('Only of this skill', 'SKILL'),
  status: named('Only with this status; failed and passed fit every kind of event', 'STATUS'),
  gate: optional(pipe(picklist(gateNames), description('Only of this gate'))),
  since: moment('From then on: 30d ago, last-month, a year, month or day, or a moment'),
  until: moment('Up to the end of then'),
};

export function filterOf(now: string, { since, until, ...rest }: { [K in keyof typeof filterParams]?: string | undefined }): TraceFilter {
  return {
    ...rest,
    ...(since === undefined ? {} : { since: periodOf(since, now)!.from }),
    ...(until === undefined ? {} : { until: periodOf(until, now)!.to }),
  };
}

/** Every event there is, or every one of a phase, trace by trace; what could not be read, and how many traces there were. */
export function everyLine(
  ground: Ground,
  { until, phase }: TraceFilter,
  step: (line: TraceLine) => void,
): { warnings: string[]; traces: number } {
  const warnings: string[] = [];
  let traces = 0;
  for (const { name } of ground.traces.list()) {
    // A run that began later has nothing to say of it.
    if (until !== undefined && name.slice(0, 10) > until.slice(0, 10)) continue;
    traces += 1;
    const { lines, problems } = eventsIn(ground.traces.read(name)?.text ?? '');
    const isOfPhase = phaseSeeker(phase);
    for (const { line } of lines) if (isOfPhase(line)) step(line);
    if (warnings.length < 20) warnings.push(...problemLines(name, problems));
  }
  return { warnings, traces };
}
