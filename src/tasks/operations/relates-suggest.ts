import { array, description, integer, maxValue, minValue, number, optional, pipe, strictObject, string } from 'valibot';
import { query } from '#core/define.ts';
import { TaskId } from '#core/model/scalars.ts';
import { paged, pageParams } from '#core/page.ts';
import { suggestions } from '../rules/relate.ts';
import { kindred } from './shared/kindred.ts';

export const tasksRelatesSuggest = query({
  name: 'tasks.relates.suggest',
  summary: 'Suggest tasks that may be related, scored by what they share',
  params: strictObject({
    taskId: pipe(TaskId, description('The task to find others for')),
    threshold: optional(
      pipe(
        number(),
        integer('must be a whole number'),
        minValue(0, 'must be at least 0'),
        maxValue(100, 'must be at most 100'),
        description('The lowest score, of 0 to 100'),
      ),
      50,
    ),
    ...pageParams(50),
  }),
  result: strictObject({
    suggestions: array(
      strictObject({
        taskId: string(),
        title: string(),
        score: number(),
        reasons: array(strictObject({ term: string(), points: number() })),
      }),
    ),
  }),
  errors: ['E_NOT_FOUND'],
  tier: 1,
  cli: { command: 'relates suggest', args: ['taskId'] },
  example: { world: ['T001 labels api: Write the parser', 'T002 labels api: Test the parser'], call: { taskId: 'T001' } },
  async run({ store }, { taskId, threshold, ...page }) {
    const { task, candidates } = await kindred(store, taskId, true);
    const all = suggestions(task, candidates, threshold);
    const shown = all.slice(page.offset, page.offset + page.limit);
    return paged({ suggestions: shown }, shown.length, page, async () => all.length);
  },
});
