import { array, description, optional, pipe, strictObject } from 'valibot';
import { query } from '#core/define.ts';
import { TaskId } from '#core/model/scalars.ts';
import { paged, pageParams } from '#core/page.ts';
import { notFound } from '#tasks/operations/shared/require.ts';
import { typeParam } from './add.ts';
import { checkKind, DocRow, rowOf } from './shared/documents.ts';

export const docsList = query({
  name: 'docs.list',
  summary: 'List documents, the latest changed first, without what they hold',
  params: strictObject({
    task: optional(pipe(TaskId, description('Only those of this task'))),
    type: optional(pipe(typeParam, description('Only this kind'))),
    ...pageParams(50),
  }),
  paramAliases: { taskId: 'task', kind: 'type' },
  result: strictObject({ docs: array(DocRow) }),
  errors: ['E_NOT_FOUND', 'E_INVALID_INPUT'],
  tier: 1,
  cli: { command: ['docs list', 'docs'] },
  example: { world: ['T001', 'doc parsers T001: Which parsers there are'], call: { task: 'T001', type: 'note' } },
  async run({ store, config, commandWith }, { task, type, ...page }) {
    if (task !== undefined && !(await store.tasks.exists(task))) throw await notFound(store, task);
    const filter = { ...(task === undefined ? {} : { task }), ...(type === undefined ? {} : { kind: type }) };
    const found = await store.docs.list(filter, page);
    // A kind that was taken out of the configuration is one as long as there are documents of it.
    if (found.length === 0 && type !== undefined && !(await store.docs.countsByKind()).has(type))
      checkKind(config, type, (near) => commandWith({ type: near }));
    const slugs = found.map(({ slug }) => slug);
    const [tasks, stale] = [await store.docs.tasks(slugs), await store.docs.stale(slugs)];
    const docs = found.map((doc) => rowOf(doc, tasks.get(doc.slug), stale.get(doc.slug)));
    return paged({ docs }, docs.length, page, (atMost) => store.docs.count(filter, atMost));
  },
});
