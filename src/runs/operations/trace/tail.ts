import { array, optional, strictObject } from 'valibot';
import { findRun, keptRuns } from '../../runner/kept-runs.ts';
import '../../errors/skill.ts';
import { answer, noData, query } from '#core/define.ts';
import { limitParam } from '#core/page.ts';
import { cutOf } from '#lib/page.ts';
import { eventsIn } from '../../rules/trace.ts';
import { Line, problemLines, RunName } from '../shared/trace-shapes.ts';

export const traceTail = query({
  name: 'trace.tail',
  summary: 'Show the last lines of a trace, as they were written',
  params: strictObject({ run: optional(RunName), limit: limitParam(20, 'How many lines') }),
  result: strictObject({ lines: array(Line) }),
  errors: ['E_SKILL'],
  tier: 2,
  needs: 'project',
  exits: 'skill',
  cli: { command: 'trace tail', args: ['run'], short: { n: 'limit' } },
  example: { world: ['trace run-a'], call: { run: 'run-a', limit: 3 } },
  async run({ platform, project }, { run: asked, limit }) {
    const ground = await platform.ground(project);
    const kept = asked === undefined ? keptRuns(ground).findLast(({ trace }) => trace !== undefined) : findRun(ground, asked);
    const { lines: all, problems } = eventsIn((kept?.trace && ground.traces.read(kept.trace)?.text) || '');
    if (all.length === 0) return noData({ lines: [] });
    const lines = all.slice(-limit).map(({ line }) => line);
    return answer({ lines }, { warnings: problemLines(kept?.trace ?? '', problems), truncated: cutOf(lines.length, all.length) });
  },
});
