import { number, strictObject, string } from 'valibot';
import { answer, query } from '#core/define.ts';
import { exported, exportParams } from '../shared/exporting.ts';

export const traceExport = query({
  name: 'trace.export',
  summary: 'Print traces in a form that others read',
  params: strictObject(exportParams),
  result: strictObject({ content: string(), count: number() }),
  errors: ['E_SKILL'],
  tier: 2,
  needs: 'project',
  exits: 'skill',
  cli: { command: 'trace export', args: ['runs'], raw: 'content' },
  example: { world: ['trace run-a failure'], call: { runs: 'run-a', format: 'junit' } },
  async run({ platform, project }, { runs, format }) {
    const { content, count, warnings } = exported(await platform.ground(project), runs, format, platform.version);
    return answer({ content, count }, { ...(count === 0 ? { exit: 100 as const } : {}), warnings });
  },
});
