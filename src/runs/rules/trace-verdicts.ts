import type { ExportedRun } from './trace-export.ts';
import { asText, listRecordedChecks, toLineFacts } from './trace-facts.ts';

/** The last result of one check of a run. */
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

/** Lists the checks of all gates and handoffs by execution. Only the last check of a gate counts. A failure that did not block anything is
 *  a warning. */
export function listVerdicts({ lines }: Pick<ExportedRun, 'lines'>): VerdictSuite[] {
  const suites = new Map<string, VerdictSuite & { gates: Map<string, RunVerdict[]> }>();
  const getSuite = (name: string, startedAt: string) => {
    const suite = suites.get(name) ?? { name, startedAt, durationMs: 0, verdicts: [], gates: new Map() };
    suites.set(name, suite);
    return suite;
  };
  for (const { line } of lines) {
    const { event, data, ts } = line;
    const name = `${asText(line.phase) ?? '-'}/${asText(line.skill) ?? '-'}`;
    if (event === 'gate_checked') {
      const { gate = '' } = toLineFacts(line);
      getSuite(name, ts).gates.set(gate, toGateVerdicts(name, gate, data));
    } else if (event === 'execution_complete') getSuite(name, ts).durationMs = toLineFacts(line).durationMs ?? 0;
    else if (event === 'handoff_attempted') {
      const pair = `${data.from_phase} to ${data.to_phase}`;
      const message = asText(data.rejection_reason) ?? '';
      getSuite('handoffs', ts).gates.set(pair, [
        { suite: 'handoffs', name: pair, outcome: data.accepted === true ? 'passed' : 'failed', message },
      ]);
    }
  }
  return [...suites.values()].map(({ gates, ...suite }) => ({ ...suite, verdicts: [...gates.values()].flat() }));
}

function toGateVerdicts(suite: string, gate: string, data: Record<string, unknown>): RunVerdict[] {
  const status = asText(data.status) ?? '';
  const isBlocking = status === 'failed' && data.severity !== 'warn' && data.overridden !== true;
  const all = listRecordedChecks(data);
  if (all.length === 0) {
    const outcome = status === 'passed' ? 'passed' : status === 'error' ? 'error' : isBlocking ? 'failed' : 'skipped';
    return [{ suite, name: gate, outcome, message: status }];
  }
  return all.map(({ name, isPassed, message }) => ({
    suite,
    name: `${gate}: ${name}`,
    message,
    outcome: isPassed ? 'passed' : status === 'error' ? 'error' : isBlocking ? 'failed' : 'warned',
  }));
}
