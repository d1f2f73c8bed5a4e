import { description, pipe, strictObject } from 'valibot';
import { alreadyThere, mutation } from '#core/define.ts';
import { CleoError } from '#core/errors/error.ts';
import { Reason, TaskId } from '#core/model/scalars.ts';
import { RelationEdge, RelationTypeInput } from '../model/relation.ts';
import { requireTask } from './shared/require.ts';

export const tasksRelatesAdd = mutation({
  name: 'tasks.relates.add',
  summary: 'Say that two tasks are related, how and why; for information, it orders nothing',
  params: strictObject({
    from: pipe(TaskId, description('The task that the relation is said of')),
    to: pipe(TaskId, description('The task it is related to')),
    type: pipe(RelationTypeInput, description('How they are related')),
    reason: pipe(Reason, description('Why')),
  }),
  result: strictObject({ relation: RelationEdge }),
  errors: ['E_NOT_FOUND', 'E_INVALID_RELATION', 'E_CIRCULAR_REFERENCE'],
  tier: 1,
  cli: { command: 'relates add', args: ['from', 'to', 'type', 'reason'] },
  example: { world: ['T001', 'T002'], call: { from: 'T001', to: 'T002', type: 'supersedes', reason: 'the new parser reads both' } },
  async run({ store }, relation) {
    const { from, to, type, reason } = relation;
    if (from === to) throw new CleoError('E_CIRCULAR_REFERENCE', { path: [from, to], what: 'depends' });
    const one = await requireTask(store, from);
    const other = await requireTask(store, to);
    if (one.parentId === to || other.parentId === from) throw new CleoError('E_INVALID_RELATION', { from, to });
    const known = (await store.tasks.relations(from)).find((r) => r.direction === 'to' && r.taskId === to && r.type === type);
    // The same relation for another reason keeps the new reason.
    if (known?.reason === reason) return alreadyThere({ relation });
    await store.tasks.relate(relation);
    return { relation };
  },
});
