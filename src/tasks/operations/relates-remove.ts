import { array, description, omit, optional, pipe, strictObject } from 'valibot';
import { mutation, noChange } from '#core/define.ts';
import { RelationEdgeSchema, RelationTypeInput, relationEnds } from '../model/relation.ts';
import { requireTask } from './shared/require.ts';

export const tasksRelatesRemove = mutation({
  name: 'tasks.relates.remove',
  summary: 'Remove relations between two tasks',
  params: strictObject({
    ...relationEnds,
    type: optional(pipe(RelationTypeInput, description('Only this type; default: all types'))),
  }),
  result: strictObject({ removed: array(omit(RelationEdgeSchema, ['reason'])) }),
  errors: ['E_NOT_FOUND'],
  tier: 1,
  cli: { command: 'relates remove', args: ['from', 'to', 'type'] },
  example: { world: ['T001', 'T002'], call: { from: 'T001', to: 'T002' }, exit: 102 },
  async run({ store }, { from, to, type }) {
    await requireTask(store, from);
    await requireTask(store, to);
    const removed = (await store.tasks.listRelations(from))
      .filter((r) => r.direction === 'to' && r.taskId === to && (type === undefined || r.type === type))
      .map((r) => ({ from, to, type: r.type }));
    if (removed.length === 0) return noChange({ removed });
    await store.tasks.unrelate(from, to, type);
    return { removed };
  },
});
