import { formatCsv } from '#lib/csv.ts';
import type { RunRecord, TraceLine } from '../model/trace.ts';
import { toLineFacts } from './trace-facts.ts';
import { formatInToto } from './trace-in-toto.ts';
import { formatJunit } from './trace-junit.ts';
import { formatOtlp } from './trace-otlp.ts';

export const traceFormats = ['jsonl', 'csv', 'otlp-json', 'junit', 'in-toto'] as const;
export type TraceFormat = (typeof traceFormats)[number];

export interface ExportedRun {
  runId: string;
  /** The name of its trace. */
  name: string;
  text: string;
  lines: { number: number; line: TraceLine }[];
  record?: RunRecord | undefined;
  head: string;
}

/** Formats runs for other tools. The traces are already redacted. */
export function formatTraces(runs: ExportedRun[], format: TraceFormat, about: { hash(text: string): string; version: string }): string {
  switch (format) {
    case 'csv':
      return formatCsv(
        columns,
        runs.flatMap(({ lines }) => lines.map(({ line }) => toRow(line))),
      );
    case 'otlp-json':
      return formatOtlp(runs, about);
    case 'junit':
      return formatJunit(runs);
    case 'in-toto':
      return formatInToto(runs, about);
    default:
      return runs.map(formatJsonl).join('');
  }
}

/** The original lines byte for byte, so that the hash chain can be verified elsewhere. */
function formatJsonl({ text, lines }: ExportedRun): string {
  const all = text.split('\n');
  return lines.map(({ number }) => `${all[number - 1]}\n`).join('');
}

const columns = [
  ...(['ts', 'event', 'run_id', 'execution_id', 'phase', 'skill', 'attempt', 'seq'] as const),
  ...(['status', 'class', 'exit_code', 'duration_ms', 'gate', 'data'] as const),
];

function toRow(line: TraceLine): unknown[] {
  const { status, class: exitClass, exitCode, durationMs, gate } = toLineFacts(line);
  return [
    line.ts,
    line.event,
    line.run_id,
    line.execution_id,
    line.phase,
    line.skill,
    line.attempt,
    line.seq,
    status,
    exitClass,
    exitCode,
    durationMs,
    gate,
    JSON.stringify(line.data),
  ];
}
