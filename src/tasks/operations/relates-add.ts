import { description, pipe, strictObject } from 'valibot';
import { alreadyExists, mutation } from '#core/define.ts';
import { CleoError } from '#core/errors/error.ts';
import { Reason } from '#core/model/texts.ts';
import { RelationEdgeSchema, RelationTypeInput, relationEnds } from '../model/relation.ts';
import { requireTask } from './shared/require.ts';

export const tasksRelatesAdd = mutation({
  name: 'tasks.relates.add',
  summary: 'Relate two tasks, without effect on their order',
  params: strictObject({
    ...relationEnds,
    type: pipe(RelationTypeInput, description('Relation type')),
    reason: pipe(Reason, description('Why they are related')),
  }),
  result: strictObject({ relation: RelationEdgeSchema }),
  errors: ['E_NOT_FOUND', 'E_INVALID_RELATION', 'E_CIRCULAR_REFERENCE'],
  tier: 1,
  cli: { command: 'relates add', args: ['from', 'to', 'type', 'reason'] },
  example: { world: ['T001', 'T002'], call: { from: 'T001', to: 'T002', type: 'supersedes', reason: 'the new parser reads both' } },
  async run({ store }, relation) {
    const { from, to, type, reason } = relation;
    if (from === to) throw new CleoError('E_CIRCULAR_REFERENCE', { path: [from, to], what: 'depends', fix: 'cleo help relates add' });
    const source = await requireTask(store, from);
    const target = await requireTask(store, to);
    if (source.parentId === to || target.parentId === from) throw new CleoError('E_INVALID_RELATION', { from, to });
    const stored = (await store.tasks.listRelations(from)).find((r) => r.direction === 'to' && r.taskId === to && r.type === type);
    // The same relation with another reason is updated.
    if (stored?.reason === reason) return alreadyExists({ relation });
    await store.tasks.relate(relation);
    return { relation };
  },
});
