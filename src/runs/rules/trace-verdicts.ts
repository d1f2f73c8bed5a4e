import type { ExportedRun } from './trace-export.ts';
import { checksOf, factsOf, textOf } from './trace-facts.ts';

/** One thing that was looked at in a run, by its last look. */
export interface RunVerdict {
  /** `design/architect`, or `handoff`. */
  suite: string;
  name: string;
  outcome: 'passed' | 'failed' | 'warned' | 'error' | 'skipped';
  message: string;
}

export interface VerdictSuite {
  name: string;
  startedAt: string;
  durationMs: number;
  verdicts: RunVerdict[];
}

/** The checks of all gates and handoffs, execution by execution. Of a gate that was looked at again, the last look counts. What failed
 *  without stopping anything is a warning. */
export function verdictsOf({ lines }: Pick<ExportedRun, 'lines'>): VerdictSuite[] {
  const suites = new Map<string, VerdictSuite & { gates: Map<string, RunVerdict[]> }>();
  const suiteOf = (name: string, startedAt: string) => {
    const suite = suites.get(name) ?? { name, startedAt, durationMs: 0, verdicts: [], gates: new Map() };
    suites.set(name, suite);
    return suite;
  };
  for (const { line } of lines) {
    const { event, data, ts } = line;
    const name = `${textOf(line.phase) ?? '-'}/${textOf(line.skill) ?? '-'}`;
    if (event === 'gate_checked') {
      const { gate = '' } = factsOf(line);
      suiteOf(name, ts).gates.set(gate, gateVerdicts(name, gate, data));
    } else if (event === 'execution_complete') suiteOf(name, ts).durationMs = factsOf(line).durationMs ?? 0;
    else if (event === 'handoff_attempted') {
      const between = `${data.from_phase} to ${data.to_phase}`;
      const message = textOf(data.rejection_reason) ?? '';
      suiteOf('handoffs', ts).gates.set(between, [
        { suite: 'handoffs', name: between, outcome: data.accepted === true ? 'passed' : 'failed', message },
      ]);
    }
  }
  return [...suites.values()].map(({ gates, ...suite }) => ({ ...suite, verdicts: [...gates.values()].flat() }));
}

function gateVerdicts(suite: string, gate: string, data: Record<string, unknown>): RunVerdict[] {
  const status = textOf(data.status) ?? '';
  const stops = status === 'failed' && data.severity !== 'warn' && data.overridden !== true;
  const all = checksOf(data);
  if (all.length === 0) {
    const outcome = status === 'passed' ? 'passed' : status === 'error' ? 'error' : stops ? 'failed' : 'skipped';
    return [{ suite, name: gate, outcome, message: status }];
  }
  return all.map(({ name, isPassed, message }) => ({
    ...{ suite, name: `${gate}: ${name}`, message },
    outcome: isPassed ? 'passed' : status === 'error' ? 'error' : stops ? 'failed' : 'warned',
  }));
}
