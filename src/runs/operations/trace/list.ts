import { array, description, optional, picklist, pipe, strictObject } from 'valibot';
import { describeRun, listStoredRuns } from '../../runner/stored-runs.ts';
import '../../errors/skill.ts';
import { answer, query } from '#core/define.ts';
import { pageParams, toBudget } from '#core/page.ts';
import { toTruncation } from '#lib/page.ts';
import { RunRow } from '../shared/trace-shapes.ts';

const states = ['running', 'crashed', 'success', 'failure', 'partial', 'blocked', 'timeout', 'cancelled'] as const;

export const traceList = query({
  name: 'trace.list',
  summary: 'List runs, newest first, with their status',
  params: strictObject({
    ...pageParams(50),
    status: optional(pipe(picklist(states), description('Only runs with this status; a crashed run can be resumed'))),
  }),
  result: strictObject({ runs: array(RunRow) }),
  errors: ['E_SKILL'],
  tier: 2,
  needs: 'project',
  exitNamespace: 'skill',
  shares: ['runs'],
  cli: { command: ['trace list', 'traces'], view: async () => (await import('../../view.ts')).runView },
  example: { world: ['trace run-a', 'trace run-b crashed'], call: {} },
  async run({ platform, project }, { limit, offset, budget, status }) {
    const runner = await platform.createRunner(project);
    const all = listStoredRuns(runner).reverse();
    // Describing a run reads its files, so without a filter only the page is described.
    const views = status === undefined ? undefined : all.map((run) => describeRun(runner, run)).filter((view) => view.status === status);
    const runs = views?.slice(offset, offset + limit) ?? all.slice(offset, offset + limit).map((run) => describeRun(runner, run));
    return answer(
      { runs },
      {
        ...(runs.length === 0 ? { exit: 100 as const } : {}),
        truncated: toTruncation(runs.length, (views ?? all).length),
        ...toBudget({ limit, offset, budget }),
      },
    );
  },
});
