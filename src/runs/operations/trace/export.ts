import { number, strictObject, string } from 'valibot';
import { answer, query } from '#core/define.ts';
import { exportParams, exportTraces } from '../shared/trace-export.ts';

export const traceExport = query({
  name: 'trace.export',
  summary: 'Print traces in an exchange format',
  params: strictObject(exportParams),
  result: strictObject({ content: string(), count: number() }),
  errors: ['E_SKILL'],
  tier: 2,
  needs: 'project',
  exitNamespace: 'skill',
  shares: ['runs'],
  cli: { command: 'trace export', args: ['runs'], raw: 'content', view: async () => (await import('../../view.ts')).runView },
  example: { world: ['trace run-a failure'], call: { runs: 'run-a', format: 'junit' } },
  async run({ platform, project }, { runs, format }) {
    const { content, count, warnings } = exportTraces(await platform.createRunner(project), runs, format, platform.version);
    return answer({ content, count }, { ...(count === 0 ? { exit: 100 as const } : {}), warnings });
  },
});
