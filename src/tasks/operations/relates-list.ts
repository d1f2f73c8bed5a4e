import { array, strictObject, string } from 'valibot';
import { query } from '#core/define.ts';
import { StatusSchema } from '#core/model/scalars.ts';
import { answerPage, pageParams } from '#core/page.ts';
import { RelationSchema } from '../model/task.ts';
import { TaskParam } from './shared/params.ts';
import { checkTaskExists } from './shared/require.ts';

export const tasksRelatesList = query({
  name: 'tasks.relates.list',
  summary: 'List the relations of a task, in both directions',
  params: strictObject({ taskId: TaskParam, ...pageParams(50) }),
  result: strictObject({ relations: array(strictObject({ ...RelationSchema.entries, title: string(), status: StatusSchema })) }),
  errors: ['E_NOT_FOUND'],
  tier: 1,
  cli: { command: 'relates list', args: ['taskId'] },
  example: { world: ['T001'], call: { taskId: 'T001' }, exit: 100 },
  async run({ store }, { taskId, ...page }) {
    await checkTaskExists(store, taskId);
    const all = await store.tasks.listRelations(taskId);
    const shown = all.slice(page.offset, page.offset + page.limit);
    const others = new Map((await store.tasks.getHits(shown.map((r) => r.taskId))).map((hit) => [hit.id, hit]));
    const relations = shown.flatMap((relation) => {
      const other = others.get(relation.taskId);
      return other ? [{ ...relation, title: other.title, status: other.status }] : [];
    });
    return answerPage({ relations }, relations.length, page, async () => all.length);
  },
});
