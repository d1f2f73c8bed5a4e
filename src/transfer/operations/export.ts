import { array, description, number, optional, picklist, pipe, strictObject, string } from 'valibot';
import { answer, query } from '#core/define.ts';
import { CleoError } from '#core/errors/error.ts';
import { listAllTasks } from '#tasks/operations/shared/all-tasks.ts';
import { exportFormats, formatExport, formatLossWarnings } from '../rules/export.ts';

export const exportFormat = optional(
  pipe(
    picklist(exportFormats),
    description('jsonl and json have every field; csv and md are for people; the others are read by other tools; backlog is a folder'),
  ),
);

/** Fields that the format cannot contain, with the number of tasks that have them. */
export const ExportLosses = optional(array(strictObject({ field: string(), count: number(), examples: array(string()) })));

export const tasksExport = query({
  name: 'tasks.export',
  summary: 'Print all tasks, including archived ones',
  params: strictObject({ format: exportFormat }),
  result: strictObject({ content: string(), count: number(), lost: ExportLosses }),
  errors: [],
  tier: 1,
  cli: { command: 'export', raw: 'content' },
  example: { world: ['T001 epic', 'T002 in T001'], call: { format: 'jsonl' } },
  async run({ store }, { format = 'jsonl' }) {
    if (format === 'backlog')
      throw new CleoError('E_INVALID_INPUT', {
        problem: 'The format backlog is a folder of files, and no folder is named',
        fix: 'cleo export --format backlog --output backlog',
        field: 'format',
      });
    const tasks = await listAllTasks(store);
    const { content, losses } = formatExport(tasks, format);
    const result = { content: content as string, count: tasks.length, ...(losses.length > 0 ? { lost: losses } : {}) };
    return answer(result, { warnings: formatLossWarnings(format, losses) });
  },
});
