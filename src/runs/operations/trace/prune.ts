import { array, boolean, description, nullable, number, optional, pipe, strictObject, string } from 'valibot';
import { wholeNumber } from '#core/model/whole-number.ts';
import { pruneRuns } from '../../runner/prune.ts';
import '../../errors/skill.ts';
import { answer, job } from '#core/define.ts';

const keepReasons = { live: 'it is active', open_review: 'it has an open review', kept: 'its construct keeps runs forever' };

export const tracePrune = job({
  name: 'trace.prune',
  summary: 'Remove runs whose retention has ended',
  params: strictObject({
    days: optional(pipe(wholeNumber({ min: 0, max: 36_500 }), description('Retention in days, instead of that of each construct'))),
    all: optional(pipe(boolean(), description('Also remove runs that are active, under review or kept forever'))),
    dryRun: optional(pipe(boolean(), description('Only list the runs'))),
  }),
  result: strictObject({ pruned: array(strictObject({ runId: string(), head: nullable(string()), lines: number() })) }),
  errors: ['E_SKILL'],
  tier: 2,
  needs: 'project',
  scope: 'admin',
  exitNamespace: 'skill',
  shares: ['runs', 'prunedRuns', 'reviews'],
  cli: { command: 'trace prune', view: async () => (await import('../../view.ts')).runView },
  example: { world: ['trace run-a', 'trace run-b', 'review rv-1 of run-b'], call: { days: 30, dryRun: true } },
  async run({ platform, project, changes, now }, { days, all = false, dryRun = false }) {
    const runner = await platform.createRunner(project);
    const { pruned, kept } = await pruneRuns(runner, { now, days, isAll: all, isDryRun: dryRun });
    changes.deleted.push(...pruned.map(({ run_id }) => run_id));
    return answer(
      { pruned: pruned.map(({ run_id, head, lines }) => ({ runId: run_id, head, lines })) },
      {
        ...(pruned.length === 0 ? { exit: 102 as const } : {}),
        ...(dryRun ? { dryRun: true as const } : {}),
        warnings: kept.map((one) => `${one.runId} was not removed: ${keepReasons[one.reason]}`),
      },
    );
  },
});
