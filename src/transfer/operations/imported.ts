import { array, description, optional, picklist, pipe, regex, strictObject, string } from 'valibot';
import { query } from '#core/define.ts';
import { paged, pageParams } from '#core/page.ts';
import { Timestamp } from '#tasks/model/task.ts';
import { tools } from '../rules/recognise.ts';

export const tasksImported = query({
  name: 'tasks.imported',
  summary: 'Which task became of what another tool called otherwise',
  params: strictObject({
    id: optional(pipe(string(), description('As the other tool calls it'))),
    from: optional(pipe(picklist([...tools]), description('The tool it came from'))),
    source: optional(
      pipe(
        string(),
        regex(/^[a-z0-9._-]{1,50}$/, 'may hold only a-z 0-9 . _ - (at most 50)'),
        description('The name it was imported under'),
      ),
    ),
    ...pageParams(50),
  }),
  result: strictObject({ ids: array(strictObject({ source: string(), id: string(), taskId: string(), importedAt: Timestamp })) }),
  errors: [],
  tier: 1,
  cli: { command: 'imported', args: ['id'] },
  example: { world: ['T001'], call: { from: 'beads' }, exit: 100 },
  async run({ store }, { id, from, source, ...page }) {
    const filter = { source: from && source ? `${from}:${source}` : from, foreignId: id };
    const ids = await store.imports.list(filter, page);
    return paged({ ids }, ids.length, page, (atMost) => store.imports.count(filter, atMost));
  },
});
