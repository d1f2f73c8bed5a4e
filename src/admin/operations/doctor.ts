import '#tasks/errors.ts';
import { strictObject } from 'valibot';
import { query } from '#core/define.ts';
import { CleoError } from '#core/errors/error.ts';
import { DoctorCheckList, DoctorFindings, runDoctorChecks, storeCheck } from './shared/doctor-checks.ts';

export const adminDoctor = query({
  name: 'admin.doctor',
  summary: 'Check store, settings, files, tasks, sessions and log',
  params: strictObject({}),
  result: strictObject({ findings: DoctorFindings, checks: DoctorCheckList }),
  errors: ['E_ORPHAN_DETECTED', 'E_NOT_INITIALIZED'],
  tier: 1,
  steps: [storeCheck],
  needs: 'project',
  cli: { command: 'doctor' },
  example: { world: ['T001'], call: {} },
  async run(ctx) {
    const { findings, checks, orphans } = await runDoctorChecks(ctx);
    if (orphans.length > 0) throw new CleoError('E_ORPHAN_DETECTED', { orphans: orphans.slice(0, 100), findings, checks });
    return { findings, checks };
  },
});
