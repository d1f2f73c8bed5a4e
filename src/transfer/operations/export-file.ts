import { description, number, pipe, strictObject, string } from 'valibot';
import { job } from '#core/define.ts';
import { FilePath } from '#core/model/scalars.ts';
import { listAllTasks } from '#tasks/operations/shared/all-tasks.ts';
import { formatExport } from '../rules/export.ts';
import { exportFormat } from './export.ts';

export const tasksExportFile = job({
  name: 'tasks.export.file',
  summary: 'Write all tasks to a file inside the project',
  params: strictObject({
    output: pipe(FilePath, description('File inside the project, not in .cleo or .git')),
    format: exportFormat,
  }),
  result: strictObject({ file: string(), count: number() }),
  errors: ['E_FILE_ERROR'],
  tier: 1,
  usesHost: true,
  cli: { command: 'export', select: 'output' },
  example: { world: ['T001'], call: { output: 'tasks.jsonl' } },
  async run({ read, platform, project }, { output, format = 'jsonl' }) {
    const path = platform.files.resolveInside(project.root, output, 'cleo export');
    const tasks = await read((store) => listAllTasks(store));
    platform.files.writeAtomic(path, formatExport(tasks, format));
    return { file: output, count: tasks.length };
  },
});
