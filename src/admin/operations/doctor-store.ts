import { picklist, strictObject } from 'valibot';
import { query } from '#core/define.ts';
import type { CleoError } from '#core/errors/error.ts';
import { defined } from '#lib/collections.ts';
import { DoctorCheckList, DoctorFindings } from './shared/doctor-checks.ts';

export const adminDoctorStore = query({
  name: 'admin.doctor.store',
  summary: 'Check what cleo needs of the database',
  params: strictObject({}),
  result: strictObject({ engine: picklist(['sqlite', 'postgres']), findings: DoctorFindings, checks: DoctorCheckList }),
  errors: ['E_NOT_INITIALIZED'],
  tier: 1,
  runsOn: 'server',
  needs: 'project',
  cli: { command: 'doctor', select: 'store' },
  example: { world: ['T001'], call: {} },
  async run({ read }) {
    const { engine, features } = await read(async ({ audit, health }) => ({
      engine: (await audit.getStoreFacts()).engine,
      features: await health.listFeatures(),
    }));
    const findings: { check: string; severity: 'error'; message: string; fix: string }[] = [];
    const checks: { check: string; ok: boolean; detail?: string }[] = [];
    for (const check of features) {
      // A feature that is missing can be an error, which ends the transaction.
      const { isMet, detail, problem } = await read(({ health }) => health.checkFeature(check)).catch(explainError);
      checks.push({ check, ok: isMet, ...defined({ detail }) });
      if (!isMet) findings.push({ check, severity: 'error', message: `${check} ${problem}`, fix: 'cleo help doctor --store' });
    }
    return { engine, findings, checks };
  },
});

const explainError = (error: CleoError | Error): { isMet: boolean; detail?: string; problem: string } => ({
  isMet: false,
  detail: error.message,
  problem: `cannot be used: ${error.message}`,
});
