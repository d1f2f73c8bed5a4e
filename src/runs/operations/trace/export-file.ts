import { description, metadata, number, pipe, strictObject, string } from 'valibot';
import { answer, job } from '#core/define.ts';
import { FilePath } from '#core/model/scalars.ts';
import { exported, exportParams } from '../shared/exporting.ts';

export const traceExportFile = job({
  name: 'trace.export.file',
  summary: 'Write traces to a file inside the project, in a form that others read',
  params: strictObject({
    out: pipe(FilePath, description('Inside the project, never in .cleo or .git'), metadata({ value: 'FILE' })),
    ...exportParams,
  }),
  result: strictObject({ file: string(), count: number() }),
  errors: ['E_SKILL'],
  tier: 2,
  needs: 'project',
  scope: 'admin',
  exits: 'skill',
  cli: { command: 'trace export', args: ['runs'], select: 'out' },
  example: { world: ['trace run-a'], call: { out: 'trace.csv', runs: 'run-a', format: 'csv' } },
  async run({ platform, project }, { out, runs, format }) {
    const path = platform.files.inside(project.root, out);
    const { content, count, warnings } = exported(await platform.ground(project), runs, format, platform.version);
    platform.files.writeWhole(path, content);
    return answer({ file: out, count }, { warnings });
  },
});
