import { description, number, optional, picklist, pipe, strictObject, string } from 'valibot';
import { query } from '#core/define.ts';
import { listAllTasks } from '#tasks/operations/shared/all-tasks.ts';
import { exportFormats, formatExport } from '../rules/export.ts';

export const exportFormat = optional(
  pipe(picklist(exportFormats), description('jsonl and json have every field; csv and md are for people; github is a list of issues')),
);

export const tasksExport = query({
  name: 'tasks.export',
  summary: 'Print all tasks, including archived ones',
  params: strictObject({ format: exportFormat }),
  result: strictObject({ content: string(), count: number() }),
  errors: [],
  tier: 1,
  cli: { command: 'export', raw: 'content' },
  example: { world: ['T001 epic', 'T002 in T001'], call: { format: 'jsonl' } },
  async run({ store }, { format = 'jsonl' }) {
    const tasks = await listAllTasks(store);
    return { content: formatExport(tasks, format), count: tasks.length };
  },
});
