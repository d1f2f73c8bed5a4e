import { array, description, optional, picklist, pipe, strictObject, string } from 'valibot';
import { query } from '#core/define.ts';
import { answerPage, pageParams } from '#core/page.ts';
import { Timestamp } from '#tasks/model/task.ts';
import { SourceName } from '../model/foreign.ts';
import { importTools } from '../rules/detect-tool.ts';

export const tasksImported = query({
  name: 'tasks.imported',
  summary: 'List imported tasks by their id in the other tool',
  params: strictObject({
    id: optional(pipe(string(), description('Id in the other tool'))),
    from: optional(pipe(picklist([...importTools]), description('Tool it came from'))),
    source: optional(pipe(SourceName, description('Name of the source it was imported under'))),
    ...pageParams(50),
  }),
  result: strictObject({ ids: array(strictObject({ source: string(), id: string(), taskId: string(), importedAt: Timestamp })) }),
  errors: [],
  tier: 1,
  cli: { command: 'imported', args: ['id'] },
  example: { world: ['T001'], call: { from: 'beads' }, exit: 100 },
  async run({ store }, { id, from, source, ...page }) {
    // A source is stored as `tool` or `tool:name`.
    const sources = source === undefined ? undefined : (from ? [from] : importTools).map((tool) => `${tool}:${source}`);
    const filter = { sources, tool: sources ? undefined : from, foreignId: id };
    const ids = await store.imports.list(filter, page);
    return answerPage({ ids }, ids.length, page, (atMost) => store.imports.count(filter, atMost));
  },
});
