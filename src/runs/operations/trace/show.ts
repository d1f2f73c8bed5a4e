import { array, strictObject } from 'valibot';
import { describeRun, findRun } from '../../runner/stored-runs.ts';
import '../../errors/skill.ts';
import { answer, query } from '#core/define.ts';
import { limitParam } from '#core/page.ts';
import { toTruncation } from '#lib/page.ts';
import { parseEvents } from '../../rules/trace.ts';
import { toTimeline } from '../../rules/trace-timeline.ts';
import { formatProblems, RunName, RunRow, StepShape } from '../shared/trace-shapes.ts';

export const traceShow = query({
  name: 'trace.show',
  summary: 'Show the steps of a run: phases, gates, attempts, handoffs',
  params: strictObject({ run: RunName, limit: limitParam(500) }),
  result: strictObject({ trace: strictObject({ run: RunRow, steps: array(StepShape) }) }),
  errors: ['E_SKILL'],
  tier: 2,
  needs: 'project',
  exitNamespace: 'skill',
  shares: ['runs'],
  cli: { command: 'trace show', args: ['run'], view: async () => (await import('../../view.ts')).runView },
  example: { world: ['trace run-a failure'], call: { run: 'run-a' } },
  async run({ platform, project }, { run: name, limit }) {
    const runner = await platform.createRunner(project);
    const stored = findRun(runner, name);
    const file = stored.trace ? runner.traces.read(stored.trace) : undefined;
    const { lines, problems } = parseEvents(file?.text ?? '');
    const all = toTimeline(lines.map(({ line }) => line));
    const steps = all.slice(0, limit);
    return answer(
      { trace: { run: describeRun(runner, stored), steps } },
      { warnings: formatProblems(stored.trace ?? '', problems), truncated: toTruncation(steps.length, all.length) },
    );
  },
});
