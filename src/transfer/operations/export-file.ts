import { boolean, description, number, optional, pipe, strictObject, string } from 'valibot';
import { answer, job, readStep } from '#core/define.ts';
import { CleoError } from '#core/errors/error.ts';
import { FilePath } from '#core/model/texts.ts';
import { findActiveFileProblem } from '#core/rules/passive-file.ts';
import { listAllTasks } from '#tasks/operations/shared/all-tasks.ts';
import { formatExport, formatLossWarnings, isToolFormat, toolFormats } from '../rules/export.ts';
import { ExportLosses, exportFormat } from './export.ts';

/** Files of these formats are JSON of a fixed structure. */
const structuredExtensions = ['json', 'jsonl'];

const readTasks = readStep({ name: 'tasks', params: strictObject({}), run: ({ store }) => listAllTasks(store) });

export const tasksExportFile = job({
  name: 'tasks.export.file',
  summary: 'Write all tasks to a file inside the project',
  params: strictObject({
    output: pipe(FilePath, description('File inside the project, not in .cleo or .git; for backlog a folder')),
    format: exportFormat,
    replace: optional(pipe(boolean(), description('Overwrite records that were changed or created by the other tool'))),
  }),
  result: strictObject({ file: string(), count: number(), lost: ExportLosses }),
  errors: ['E_FILE_ERROR'],
  tier: 1,
  steps: [readTasks],
  usesHost: true,
  cli: { command: 'export', select: 'output', view: async () => (await import('../view.ts')).exportView },
  example: { world: ['T001'], call: { output: 'tasks.jsonl' } },
  async run(ctx, { output, format = 'jsonl', replace = false }) {
    const { files } = ctx.platform;
    // The lines of other formats contain texts of tasks as they are.
    const active = ctx.gateway === 'cli' || format === 'backlog' ? undefined : findActiveFileProblem(output, structuredExtensions);
    if (active)
      throw new CleoError('E_FILE_ERROR', {
        path: output,
        problem: active,
        fix: ctx.commandWith({ output: 'tasks.txt' }),
        manual: `Run it on the command line: ${ctx.commandWith({})}`,
      });
    const resolve = (name: string): string => files.resolveInside(ctx.project.root, name, 'cleo export');
    // A folder is checked file by file.
    const path = format === 'backlog' ? '' : resolve(output);
    const tasks = await ctx.runStep(readTasks, {});
    if (path && !replace && isToolFormat(format))
      await (await import('./shared/check-overwrite.ts')).checkOverwrite(ctx, { tool: toolFormats[format], path, output, tasks });
    const { content, losses } = formatExport(tasks, format);
    if (typeof content === 'string') files.writeAtomic(path, content);
    else (await import('./shared/export-folder.ts')).writeBacklogFolder(ctx, { resolve, output, tasks, content, replace });
    const result = { file: output, count: tasks.length, ...(losses.length > 0 ? { lost: losses } : {}) };
    return answer(result, { warnings: formatLossWarnings(format, losses) });
  },
});
