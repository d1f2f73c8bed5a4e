import { description, optional, pipe, strictObject } from 'valibot';
import { query } from '#core/define.ts';
import { Omitted } from '#core/model/omitted.ts';
import { TaskId } from '#core/model/scalars.ts';
import { budgetParam } from '#core/page.ts';
import { namedOrFocused } from '#tasks/operations/shared/moves.ts';
import { Pack } from '../../model/pack.ts';
import { contextPack } from '../shared/pack.ts';

export const tasksContext = query({
  name: 'tasks.context',
  summary: 'Tell what an agent needs to know to work on a task, within a budget of tokens',
  params: strictObject({
    taskId: optional(pipe(TaskId, description('The task; without it, the focused one'))),
    budget: budgetParam(1500),
  }),
  result: strictObject({ pack: Pack, omitted: Omitted }),
  errors: ['E_NOT_FOUND', 'E_FOCUS_REQUIRED', 'E_VALIDATION', 'E_FILE_ERROR'],
  tier: 1,
  cli: { command: ['focus', 'context-pack'], args: ['taskId'], isPrompt: true },
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
  async run(ctx, { taskId, budget }) {
    const { id } = await namedOrFocused(ctx, taskId, 'pack the context of');
    const { pack, omitted } = await contextPack(ctx, id, budget, (answer) => ctx.toOutput(shown(answer)));
    return shown({ pack, omitted });
  },
});

const shown = ({ pack, omitted }: Awaited<ReturnType<typeof contextPack>>) => ({ pack, ...(omitted.length > 0 ? { omitted } : {}) });
