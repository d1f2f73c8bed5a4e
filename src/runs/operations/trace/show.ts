import { array, strictObject } from 'valibot';
import { findRun, viewOf } from '../../runner/kept-runs.ts';
import '../../errors/skill.ts';
import { answer, query } from '#core/define.ts';
import { limitParam } from '#core/page.ts';
import { cutOf } from '#lib/page.ts';
import { eventsIn } from '../../rules/trace.ts';
import { timelineOf } from '../../rules/trace-timeline.ts';
import { problemLines, RunName, RunRow, StepShape } from '../shared/trace-shapes.ts';

export const traceShow = query({
  name: 'trace.show',
  summary: 'Show what happened in a run, step by step: phases, gates, attempts, handoffs',
  params: strictObject({ run: RunName, limit: limitParam(500) }),
  result: strictObject({ trace: strictObject({ run: RunRow, steps: array(StepShape) }) }),
  errors: ['E_SKILL'],
  tier: 2,
  needs: 'project',
  exits: 'skill',
  cli: { command: 'trace show', args: ['run'] },
  example: { world: ['trace run-a failure'], call: { run: 'run-a' } },
  async run({ platform, project }, { run: asked, limit }) {
    const ground = await platform.ground(project);
    const kept = findRun(ground, asked);
    const read = kept.trace ? ground.traces.read(kept.trace) : undefined;
    const { lines, problems } = eventsIn(read?.text ?? '');
    const all = timelineOf(lines.map(({ line }) => line));
    const steps = all.slice(0, limit);
    return answer(
      { trace: { run: viewOf(ground, kept), steps } },
      { warnings: problemLines(kept.trace ?? '', problems), truncated: cutOf(steps.length, all.length) },
    );
  },
});
