import { boolean, description, number, optional, pipe, strictObject } from 'valibot';
import { query } from '#core/define.ts';
import { Omitted } from '#core/model/omitted.ts';
import { TaskIdSchema } from '#core/model/scalars.ts';
import { budgetParam } from '#core/page.ts';
import { omitEmpty } from '#lib/collections.ts';
import { estimateTokens } from '#lib/tokens.ts';
import { requireTaskOrFocus } from '#tasks/operations/shared/task-transitions.ts';
import { PackSchema } from '../../model/pack.ts';
import type { PackAnswer } from '../../rules/context-pack.ts';
import { buildContextPack } from '../shared/context-pack.ts';

export const tasksContext = query({
  name: 'tasks.context',
  summary: 'Print the context of a task within a token budget',
  params: strictObject({
    taskId: optional(pipe(TaskIdSchema, description('The task; the focused one by default'))),
    budget: budgetParam(1500),
    count: optional(pipe(boolean(), description('Add the number of tokens of the answer'))),
  }),
  result: strictObject({ pack: PackSchema, omitted: Omitted, tokens: optional(number()) }),
  errors: ['E_NOT_FOUND', 'E_FOCUS_REQUIRED', 'E_TASK_CLAIMED', 'E_VALIDATION', 'E_FILE_ERROR'],
  tier: 1,
  cli: {
    command: ['focus', 'context-pack'],
    args: ['taskId'],
    isPrompt: true,
    view: async () => (await import('../../view.ts')).orchestrationView,
  },
  example: {
    world: [
      'T001 epic: Read recipes',
      'T002 in T001: Write the grammar',
      'T003 in T001 depends T002 accept reads|refuses: Write the parser',
      'T004 in T001 depends T003',
      'research T003-parsers: Which parsers there are',
    ],
    call: { taskId: 'T003' },
  },
  async run(ctx, { taskId, budget, count = false }) {
    const { id } = await requireTaskOrFocus(ctx, taskId, 'pack the context of');
    const found = toResult(await buildContextPack(ctx, id, budget, (answer) => ctx.toOutput(toResult(answer))));
    return count ? { ...found, tokens: estimateTokens(ctx.toOutput(found)) } : found;
  },
});

const toResult = ({ pack, omitted }: PackAnswer) => ({ pack, ...omitEmpty({ omitted }) });
