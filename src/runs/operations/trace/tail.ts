import { array, optional, strictObject } from 'valibot';
import { findRun, listStoredRuns } from '../../runner/stored-runs.ts';
import '../../errors/skill.ts';
import { answer, noData, query } from '#core/define.ts';
import { limitParam } from '#core/page.ts';
import { toTruncation } from '#lib/page.ts';
import { parseEvents } from '../../rules/trace.ts';
import { formatProblems, RunName, TraceLineShape } from '../shared/trace-shapes.ts';

export const traceTail = query({
  name: 'trace.tail',
  summary: 'Print the last lines of a trace',
  params: strictObject({ run: optional(RunName), limit: limitParam(20, 'Number of lines') }),
  result: strictObject({ lines: array(TraceLineShape) }),
  errors: ['E_SKILL'],
  tier: 2,
  needs: 'project',
  exitNamespace: 'skill',
  shares: ['runs'],
  cli: { command: 'trace tail', args: ['run'], short: { n: 'limit' }, view: async () => (await import('../../view.ts')).runView },
  example: { world: ['trace run-a'], call: { run: 'run-a', limit: 3 } },
  async run({ platform, project }, { run: name, limit }) {
    const runner = await platform.createRunner(project);
    const stored = name === undefined ? listStoredRuns(runner).findLast(({ trace }) => trace !== undefined) : findRun(runner, name);
    const { lines: all, problems } = parseEvents((stored?.trace && runner.traces.read(stored.trace)?.text) || '');
    if (all.length === 0) return noData({ lines: [] });
    const lines = all.slice(-limit).map(({ line }) => line);
    return answer(
      { lines },
      { warnings: formatProblems(stored?.trace ?? '', problems), truncated: toTruncation(lines.length, all.length) },
    );
  },
});
