import { strictObject } from 'valibot';
import { query } from '#core/define.ts';
import { CleoError } from '#core/errors/error.ts';
import { examine } from './shared/examination.ts';
import { Checks, Findings } from './shared/finding.ts';

export const adminDoctor = query({
  name: 'admin.doctor',
  summary: 'Look for what is broken: store, settings, files, tasks, sessions, log; each finding with its fix',
  params: strictObject({}),
  result: strictObject({ findings: Findings, checks: Checks }),
  errors: ['E_ORPHAN_DETECTED', 'E_NOT_INITIALIZED'],
  tier: 1,
  needs: 'project',
  cli: { command: 'doctor' },
  example: { world: ['T001'], call: {} },
  async run(ctx) {
    const { findings, checks, orphans } = await examine(ctx);
    if (orphans.length > 0) throw new CleoError('E_ORPHAN_DETECTED', { orphans: orphans.slice(0, 100), findings, checks });
    return { findings, checks };
  },
});
