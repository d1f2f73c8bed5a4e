import { description, number, pipe, strictObject, string } from 'valibot';
import { job } from '#core/define.ts';
import { FilePath } from '#core/model/scalars.ts';
import { everyTask } from '#tasks/operations/shared/every.ts';
import { exportText } from '../rules/export.ts';
import { exportFormat } from './export.ts';

export const tasksExportFile = job({
  name: 'tasks.export.file',
  summary: 'Write all tasks to a file inside the project',
  params: strictObject({
    output: pipe(FilePath, description('File inside the project, never in .cleo or .git')),
    format: exportFormat,
  }),
  result: strictObject({ file: string(), count: number() }),
  errors: ['E_FILE_ERROR'],
  tier: 1,
  scope: 'admin',
  cli: { command: 'export', select: 'output' },
  example: { world: ['T001'], call: { output: 'tasks.jsonl' } },
  async run({ read, platform, project }, { output, format = 'jsonl' }) {
    const path = platform.files.inside(project.root, output);
    const tasks = await read((store) => everyTask(store));
    platform.files.writeWhole(path, exportText(tasks, format));
    return { file: output, count: tasks.length };
  },
});
