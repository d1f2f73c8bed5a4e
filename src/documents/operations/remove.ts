import { array, description, optional, pipe, strictObject, string } from 'valibot';
import { mutation, noChange } from '#core/define.ts';
import { TaskIdSchema } from '#core/model/scalars.ts';
import { DocSlugParam } from '../model/doc.ts';
import { requireDoc } from './shared/documents.ts';

export const docsRemove = mutation({
  name: 'docs.remove',
  summary: 'Delete a document, or detach it from one task',
  params: strictObject({
    slug: DocSlugParam,
    task: optional(pipe(TaskIdSchema, description('Only detach it from this task'))),
  }),
  paramAliases: { taskId: 'task' },
  synonyms: ['delete', 'rm'],
  result: strictObject({ removed: string(), tasks: array(string()) }),
  errors: ['E_NOT_FOUND'],
  tier: 1,
  cli: { command: 'docs remove', args: ['slug'] },
  dryRun: true,
  example: { world: ['T001', 'doc parsers T001: Which parsers there are'], call: { slug: 'parsers' } },
  async run({ store }, { slug, task }) {
    await requireDoc(store, slug, 'remove');
    const tasks = (await store.docs.getTaskIds([slug])).get(slug) ?? [];
    if (task === undefined) {
      await store.memory.saveCitations('doc', slug, []);
      await store.docs.remove(slug);
      return { removed: slug, tasks: [] };
    }
    const remaining = tasks.filter((id) => id !== task);
    if (remaining.length === tasks.length) return noChange({ removed: slug, tasks });
    await store.docs.detach(slug, task);
    return { removed: slug, tasks: remaining };
  },
});
