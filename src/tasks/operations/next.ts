import { array, description, optional, pipe, strictObject } from 'valibot';
import { noData, query } from '#core/define.ts';
import { wholeNumber } from '#core/model/whole-number.ts';
import { allowEmpty, ScoredTaskSchema } from '../model/task.ts';
import { AnyAssignee, Root, rootAliases } from './shared/params.ts';
import { readRecommendationAhead, recommendTasks } from './shared/recommend.ts';

export const tasksNext = query({
  name: 'tasks.next',
  aliases: ['orchestrate.next'],
  summary: 'Recommend the next task, with reasons',
  params: strictObject({
    epic: Root,
    count: optional(pipe(wholeNumber({ min: 1, max: 100 }), description('Number of tasks, recommendation and alternatives together')), 3),
    any: AnyAssignee,
  }),
  paramAliases: rootAliases,
  synonyms: ['recommend', 'get-next', 'what-next', 'whats-next'],
  result: strictObject({ recommendation: allowEmpty(ScoredTaskSchema), alternatives: array(ScoredTaskSchema) }),
  errors: ['E_NOT_FOUND'],
  tier: 0,
  dependsOnSession: true,
  cli: { command: ['next', 'orchestrate next', 'orchestrator next'], args: ['epic'] },
  example: { world: ['T001 epic', 'T002 in T001 high', 'T003 in T001 depends T002'], call: { epic: 'T001' } },
  readAhead: readRecommendationAhead,
  async run(ctx, { epic, count, any: isForAny }) {
    const [recommendation, ...alternatives] = await recommendTasks(ctx, epic, count, isForAny);
    return recommendation ? { recommendation, alternatives } : noData({ recommendation: {}, alternatives: [] });
  },
});
