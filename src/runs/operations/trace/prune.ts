import { array, boolean, description, integer, maxValue, minValue, nullable, number, optional, pipe, strictObject, string } from 'valibot';
import { prune } from '../../runner/prune.ts';
import '../../errors/skill.ts';
import { answer, job } from '#core/define.ts';

const why = { live: 'it is under way', open_review: 'somebody has yet to judge it', kept: 'its construct says that it is kept' };

export const tracePrune = job({
  name: 'trace.prune',
  summary: 'Take away the runs that have had their time: trace, payloads and folder',
  params: strictObject({
    days: optional(
      pipe(
        number(),
        integer('must be a whole number'),
        minValue(0, 'must not be negative'),
        maxValue(36_500, 'must be at most 36500'),
        description('How long runs are kept, whatever their constructs say (default: what they say)'),
      ),
    ),
    all: optional(pipe(boolean(), description('Also those that are under way, under review, or meant to be kept'))),
    dryRun: optional(pipe(boolean(), description('Only say which'))),
  }),
  result: strictObject({ pruned: array(strictObject({ runId: string(), head: nullable(string()), lines: number() })) }),
  errors: ['E_SKILL'],
  tier: 2,
  needs: 'project',
  scope: 'admin',
  exits: 'skill',
  cli: { command: 'trace prune' },
  example: { world: ['trace run-a', 'trace run-b', 'review rv-1 of run-b'], call: { days: 30, dryRun: true } },
  async run({ platform, project, changes, now }, { days, all = false, dryRun = false }) {
    const ground = await platform.ground(project);
    const { pruned, spared } = await prune(ground, { now, days, isAll: all, isDryRun: dryRun });
    changes.deleted.push(...pruned.map(({ run_id }) => run_id));
    return answer(
      { pruned: pruned.map(({ run_id, head, lines }) => ({ runId: run_id, head, lines })) },
      {
        ...(pruned.length === 0 ? { exit: 102 as const } : {}),
        ...(dryRun ? { dryRun: true as const } : {}),
        warnings: spared.map((one) => `${one.runId} is left: ${why[one.why]}`),
      },
    );
  },
});
