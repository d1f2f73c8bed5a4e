import { description, number, optional, picklist, pipe, strictObject, string } from 'valibot';
import { query } from '#core/define.ts';
import { everyTask } from '#tasks/operations/shared/every.ts';
import { exportFormats, exportText } from '../rules/export.ts';

export const exportFormat = optional(
  pipe(
    picklist(exportFormats),
    description('jsonl and json keep every field; csv and md are for people; github is a list of issues as gh writes them'),
  ),
);

export const tasksExport = query({
  name: 'tasks.export',
  summary: 'Print all tasks, archived ones too',
  params: strictObject({ format: exportFormat }),
  result: strictObject({ content: string(), count: number() }),
  errors: [],
  tier: 1,
  cli: { command: 'export', raw: 'content' },
  example: { world: ['T001 epic', 'T002 in T001'], call: { format: 'jsonl' } },
  async run({ store }, { format = 'jsonl' }) {
    const tasks = await everyTask(store);
    return { content: exportText(tasks, format), count: tasks.length };
  },
});
