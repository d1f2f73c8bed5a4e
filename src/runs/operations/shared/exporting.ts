import { description, optional, picklist, pipe } from 'valibot';
import type { Ground } from '#platform/ground-port.ts';
import { skillRefusal } from '../../errors/skill.ts';
import { readTrace } from '../../rules/trace.ts';
import { type ExportedRun, type TraceFormat, traceFormats, traceText } from '../../rules/trace-export.ts';
import { matchingRuns, recordOf } from '../../runner/kept-runs.ts';
import { problemLines, RunPattern } from './trace-shapes.ts';

export const exportParams = {
  runs: optional(RunPattern),
  format: optional(
    pipe(
      picklist(traceFormats),
      description('jsonl to the byte; csv for spreadsheets; otlp-json for tracing; junit for CI; in-toto to keep elsewhere'),
    ),
  ),
};

export interface Exported {
  content: string;
  count: number;
  warnings: string[];
}

export function exported(ground: Ground, asked: string | undefined, format: TraceFormat = 'jsonl', version: string): Exported {
  const warnings: string[] = [];
  const runs = matchingRuns(ground, asked).flatMap(({ runId, trace }): ExportedRun[] => {
    const text = trace && ground.traces.read(trace)?.text;
    if (!trace || text === undefined) return [];
    const { lines, problems, head } = readTrace(text, ground.hash);
    warnings.push(...problemLines(trace, problems));
    return [{ runId, name: trace, text, lines, head, record: recordOf(ground, runId) }];
  });
  if (runs.length === 0 && asked !== undefined)
    throw skillRefusal(66, `nothing was kept of ${JSON.stringify(asked)}`, 'cleo trace list', { runs: asked });
  return { content: traceText(runs, format, { hash: ground.hash, version }), count: runs.length, warnings: warnings.slice(0, 20) };
}
