import { array, description, optional, pipe, strictObject, string } from 'valibot';
import { mutation, noChange } from '#core/define.ts';
import { TaskId } from '#core/model/scalars.ts';
import { AskedSlug } from '../model/doc.ts';
import { requireDoc } from './shared/documents.ts';

export const docsRemove = mutation({
  name: 'docs.remove',
  summary: 'Remove a document with all its versions for good, or take it from one task',
  params: strictObject({
    slug: AskedSlug,
    task: optional(pipe(TaskId, description('Only take it from this task; the document stays'))),
  }),
  paramAliases: { taskId: 'task' },
  result: strictObject({ removed: string(), tasks: array(string()) }),
  errors: ['E_NOT_FOUND'],
  tier: 1,
  cli: { command: 'docs remove', args: ['slug'] },
  dryRun: true,
  example: { world: ['T001', 'doc parsers T001: Which parsers there are'], call: { slug: 'parsers' } },
  async run({ store }, { slug, task }) {
    await requireDoc(store, slug, 'remove');
    const tasks = (await store.docs.tasks([slug])).get(slug) ?? [];
    if (task === undefined) {
      await store.memory.cite('doc', slug, []);
      await store.docs.remove(slug);
      return { removed: slug, tasks: [] };
    }
    const left = tasks.filter((id) => id !== task);
    if (left.length === tasks.length) return noChange({ removed: slug, tasks });
    await store.docs.detach(slug, task);
    return { removed: slug, tasks: left };
  },
});
