import { array, description, optional, pipe, strictObject } from 'valibot';
import { query } from '#core/define.ts';
import { wholeNumber } from '#core/model/whole-number.ts';
import { answerPage, pageParams } from '#core/page.ts';
import { ScoredTaskSchema } from '../model/task.ts';
import { suggestRelated } from '../rules/relate.ts';
import { TaskParam } from './shared/params.ts';
import { findRelatedCandidates } from './shared/related-candidates.ts';

export const tasksRelatesSuggest = query({
  name: 'tasks.relates.suggest',
  summary: 'Suggest related tasks, with scores',
  params: strictObject({
    taskId: TaskParam,
    threshold: optional(pipe(wholeNumber({ min: 0, max: 100 }), description('Minimum score, from 0 to 100')), 50),
    ...pageParams(50),
  }),
  result: strictObject({
    suggestions: array(ScoredTaskSchema),
  }),
  errors: ['E_NOT_FOUND'],
  tier: 1,
  cli: { command: 'relates suggest', args: ['taskId'] },
  example: { world: ['T001 labels api: Write the parser', 'T002 labels api: Test the parser'], call: { taskId: 'T001' } },
  async run({ store }, { taskId, threshold, ...page }) {
    const { task, candidates } = await findRelatedCandidates(store, taskId, true);
    const all = suggestRelated(task, candidates, threshold);
    const shown = all.slice(page.offset, page.offset + page.limit);
    return answerPage({ suggestions: shown }, shown.length, page, async () => all.length);
  },
});
