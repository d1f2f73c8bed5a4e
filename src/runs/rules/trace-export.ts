import { csvText } from '#lib/csv.ts';
import type { RunRecord, TraceLine } from '../model/trace.ts';
import { factsOf } from './trace-facts.ts';
import { inTotoText } from './trace-in-toto.ts';
import { junitText } from './trace-junit.ts';
import { otlpText } from './trace-otlp.ts';

export const traceFormats = ['jsonl', 'csv', 'otlp-json', 'junit', 'in-toto'] as const;
export type TraceFormat = (typeof traceFormats)[number];

/** One run, as it is exported. */
export interface ExportedRun {
  runId: string;
  /** Of its trace. */
  name: string;
  text: string;
  lines: { number: number; line: TraceLine }[];
  record?: RunRecord | undefined;
  head: string;
}

/** Runs in the form that somebody else reads. What was written is redacted already. */
export function traceText(runs: ExportedRun[], format: TraceFormat, about: { hash(text: string): string; version: string }): string {
  switch (format) {
    case 'csv':
      return csvText(
        columns,
        runs.flatMap(({ lines }) => lines.map(({ line }) => rowOf(line))),
      );
    case 'otlp-json':
      return otlpText(runs, about);
    case 'junit':
      return junitText(runs);
    case 'in-toto':
      return inTotoText(runs, about);
    default:
      return runs.map(rawLines).join('');
  }
}

/** To the byte, so that the chain can be followed elsewhere too. */
function rawLines({ text, lines }: ExportedRun): string {
  const all = text.split('\n');
  return lines.map(({ number }) => `${all[number - 1]}\n`).join('');
}

const columns = [
  ...(['ts', 'event', 'run_id', 'execution_id', 'phase', 'skill', 'attempt', 'seq'] as const),
  ...(['status', 'class', 'exit_code', 'duration_ms', 'gate', 'data'] as const),
];

function rowOf(line: TraceLine): unknown[] {
  const { status, class: of, exitCode, durationMs, gate } = factsOf(line);
  return [
    ...[line.ts, line.event, line.run_id, line.execution_id, line.phase, line.skill, line.attempt, line.seq],
    ...[status, of, exitCode, durationMs, gate, JSON.stringify(line.data)],
  ];
}
