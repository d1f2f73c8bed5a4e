import { array, description, integer, maxValue, minValue, number, optional, pipe, strictObject } from 'valibot';
import { noData, query } from '#core/define.ts';
import { NoTaskOr } from '../model/task.ts';
import { Recommendation, recommended } from './shared/recommend.ts';
import { Root, rootNames } from './shared/root.ts';

export const tasksNext = query({
  name: 'tasks.next',
  aliases: ['orchestrate.next'],
  summary: 'Recommend what to do next, and say why',
  params: strictObject({
    epic: Root,
    count: optional(
      pipe(
        number(),
        integer('must be a whole number'),
        minValue(1, 'must be at least 1'),
        maxValue(100, 'must be at most 100'),
        description('How many, the recommendation and its alternatives together'),
      ),
      3,
    ),
  }),
  paramAliases: rootNames,
  result: strictObject({ recommendation: NoTaskOr(Recommendation), alternatives: array(Recommendation) }),
  errors: ['E_NOT_FOUND'],
  tier: 0,
  cli: { command: ['next', 'orchestrate next', 'orchestrator next'], args: ['epic'] },
  example: { world: ['T001 epic', 'T002 in T001 high', 'T003 in T001 depends T002'], call: { epic: 'T001' } },
  async run(ctx, { epic, count }) {
    const [recommendation, ...alternatives] = await recommended(ctx, epic, count);
    return recommendation ? { recommendation, alternatives } : noData({ recommendation: {}, alternatives: [] });
  },
});
