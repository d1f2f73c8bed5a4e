import { description, pipe, strictObject } from 'valibot';
import { mutation, noChange } from '#core/define.ts';
import { CleoError } from '#core/errors/error.ts';
import { TaskIdSchema } from '#core/model/scalars.ts';
import { TaskReceiptSchema } from '#tasks/model/task.ts';
import { editTask } from '#tasks/operations/shared/edit.ts';
import { findListCommand } from '#tasks/operations/shared/list-command.ts';
import { createNotFoundError, requireTask } from '#tasks/operations/shared/require.ts';
import { checkScope } from '#tasks/operations/shared/scope.ts';
import { toTaskReceipt } from '#tasks/rules/view.ts';
import { SagaId, sagaAliases } from '../shared/sagas.ts';

export const sagaAdd = mutation({
  name: 'saga.add',
  summary: 'Add an epic to a saga',
  params: strictObject({ sagaId: SagaId, epicId: pipe(TaskIdSchema, description('The epic')) }),
  paramAliases: { ...sagaAliases, epic: 'epicId' },
  result: strictObject({ task: TaskReceiptSchema }),
  errors: [
    'E_NOT_FOUND',
    'E_INVALID_PARENT_TYPE',
    'E_INVALID_RELATION',
    'E_CIRCULAR_REFERENCE',
    'E_TASK_COMPLETED',
    'E_TASK_CLAIMED',
    'E_TASK_NOT_IN_SCOPE',
  ],
  tier: 1,
  cli: { command: 'saga add', args: ['sagaId', 'epicId'] },
  example: { world: ['T001 saga', 'T002 epic'], call: { sagaId: 'T001', epicId: 'T002' } },
  async run(ctx, { sagaId, epicId }) {
    const { store } = ctx;
    const saga = await store.tasks.getHit(sagaId);
    if (!saga) throw await createNotFoundError(store, sagaId);
    const before = await requireTask(store, epicId);
    if (saga.type !== 'saga' || before.type !== 'epic')
      throw new CleoError('E_INVALID_PARENT_TYPE', {
        child: before.type,
        parent: sagaId,
        parentType: saga.type,
        allowed: 'an epic under a saga',
        fix: await findListCommand(store, saga.type === 'saga' ? 'epic' : 'saga'),
      });
    await checkScope(ctx, epicId);
    if (before.parentId === sagaId) return noChange({ task: toTaskReceipt(before) });
    const after = await store.tasks.save(before, await editTask(ctx, before, { parent: sagaId }, undefined));
    return { task: toTaskReceipt(after) };
  },
});
