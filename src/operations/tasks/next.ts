import { array, description, integer, maxValue, minValue, number, optional, pipe, strictObject, string } from 'valibot';
import { NoTaskOr } from '../../model/task.ts';
import { recommend } from '../../rules/next.ts';
import { noData, query } from '../define.ts';
import { checkRoot, Root, rootNames } from './root.ts';

export const Recommendation = strictObject({
  taskId: string(),
  title: string(),
  score: number(),
  reasons: array(strictObject({ term: string(), points: number() })),
});

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
  also: rootNames,
  result: strictObject({ recommendation: NoTaskOr(Recommendation), alternatives: array(Recommendation) }),
  errors: ['E_NOT_FOUND'],
  tier: 0,
  cli: { command: ['next', 'orchestrate next', 'orchestrator next'], args: ['epic'] },
  example: { world: ['T001 epic', 'T002 in T001 high', 'T003 in T001 depends T002'], call: { epic: 'T001' } },
  async run({ store, now, config }, { epic, count }) {
    await checkRoot(store, epic);
    const found = recommend(await store.tasks.openGraph(), { now, ttlMinutes: config['claims.ttlMinutes'], within: epic });
    const [recommendation, ...alternatives] = found.slice(0, count);
    return recommendation ? { recommendation, alternatives } : noData({ recommendation: {}, alternatives: [] });
  },
});
