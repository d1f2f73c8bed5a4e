import { array, description, optional, picklist, pipe, strictObject } from 'valibot';
import { keptRuns, viewOf } from '../../runner/kept-runs.ts';
import '../../errors/skill.ts';
import { answer, query } from '#core/define.ts';
import { budgetOf, pageParams } from '#core/page.ts';
import { cutOf } from '#lib/page.ts';
import { RunRow } from '../shared/trace-shapes.ts';

const states = ['running', 'crashed', 'success', 'failure', 'partial', 'blocked', 'timeout', 'cancelled'] as const;

export const traceList = query({
  name: 'trace.list',
  summary: 'List the runs, newest first; one that neither ended nor goes on has crashed and can be resumed',
  params: strictObject({ ...pageParams(50), status: optional(pipe(picklist(states), description('Only runs that stand so'))) }),
  result: strictObject({ runs: array(RunRow) }),
  errors: ['E_SKILL'],
  tier: 2,
  needs: 'project',
  exits: 'skill',
  cli: { command: ['trace list', 'traces'] },
  example: { world: ['trace run-a', 'trace run-b crashed'], call: {} },
  async run({ platform, project }, { limit, offset, budget, status }) {
    const ground = await platform.ground(project);
    const all = keptRuns(ground).reverse();
    // How a run stands costs a look at its files: without a filter only of those that are shown.
    const views = status === undefined ? undefined : all.map((run) => viewOf(ground, run)).filter((view) => view.status === status);
    const runs = views?.slice(offset, offset + limit) ?? all.slice(offset, offset + limit).map((run) => viewOf(ground, run));
    return answer(
      { runs },
      {
        ...(runs.length === 0 ? { exit: 100 as const } : {}),
        truncated: cutOf(runs.length, (views ?? all).length),
        ...budgetOf({ limit, offset, budget }),
      },
    );
  },
});
