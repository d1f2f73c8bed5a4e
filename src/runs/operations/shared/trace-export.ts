import { description, optional, picklist, pipe } from 'valibot';
import type { RunnerPlatform } from '#platform/runner/port.ts';
import { createSkillError } from '../../errors/skill.ts';
import { parseTrace } from '../../rules/trace.ts';
import { type ExportedRun, formatTraces, type TraceFormat, traceFormats } from '../../rules/trace-export.ts';
import { findRuns, listStoredRuns, readRunRecord, suggestRuns } from '../../runner/stored-runs.ts';
import { formatProblems, RunPattern } from './trace-shapes.ts';

export const exportParams = {
  runs: optional(RunPattern),
  format: optional(
    pipe(
      picklist(traceFormats),
      description('jsonl is byte-identical; csv for spreadsheets; otlp-json for tracing; junit for CI; in-toto for archives'),
    ),
  ),
};

interface TraceExport {
  content: string;
  count: number;
  warnings: string[];
}

export function exportTraces(
  runner: RunnerPlatform,
  pattern: string | undefined,
  format: TraceFormat = 'jsonl',
  version: string,
): TraceExport {
  const warnings: string[] = [];
  const runs = findRuns(runner, pattern).flatMap(({ runId, trace }): ExportedRun[] => {
    const text = trace && runner.traces.read(trace)?.text;
    if (!trace || text === undefined) return [];
    const { lines, problems, head } = parseTrace(text, runner.hash);
    warnings.push(...formatProblems(trace, problems));
    return [{ runId, name: trace, text, lines, head, record: readRunRecord(runner, runId) }];
  });
  if (runs.length === 0 && pattern !== undefined)
    throw createSkillError(66, `${JSON.stringify(pattern)} has no trace`, suggestRuns(listStoredRuns(runner)), { runs: pattern });
  return { content: formatTraces(runs, format, { hash: runner.hash, version }), count: runs.length, warnings: warnings.slice(0, 20) };
}
