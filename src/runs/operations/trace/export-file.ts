import { description, metadata, number, pipe, strictObject, string } from 'valibot';
import { answer, job } from '#core/define.ts';
import { FilePath } from '#core/model/texts.ts';
import { exportParams, exportTraces } from '../shared/trace-export.ts';

export const traceExportFile = job({
  name: 'trace.export.file',
  summary: 'Write traces to a file in an exchange format',
  params: strictObject({
    out: pipe(FilePath, description('File inside the project, not in .cleo or .git'), metadata({ value: 'FILE' })),
    ...exportParams,
  }),
  result: strictObject({ file: string(), count: number() }),
  errors: ['E_SKILL'],
  tier: 2,
  needs: 'project',
  usesHost: true,
  exitNamespace: 'skill',
  shares: ['runs'],
  cli: { command: 'trace export', args: ['runs'], select: 'out', view: async () => (await import('../../view.ts')).runView },
  example: { world: ['trace run-a'], call: { out: 'trace.csv', runs: 'run-a', format: 'csv' } },
  async run({ platform, project }, { out, runs, format }) {
    const path = platform.files.resolveInside(project.root, out, 'cleo help trace export');
    const { content, count, warnings } = exportTraces(await platform.createRunner(project), runs, format, platform.version);
    platform.files.writeAtomic(path, content);
    return answer({ file: out, count }, { warnings });
  },
});
