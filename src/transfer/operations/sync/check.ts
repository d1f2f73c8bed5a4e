import { array, number, strictObject, string } from 'valibot';
import { query } from '#core/define.ts';
import { CleoError } from '#core/errors/error.ts';
import '../../errors.ts';
import { inspectPlan, type PlanInspection } from '../shared/plan-check.ts';
import { requireKnownVersion } from '../shared/plan-sync.ts';

export const syncCheck = query({
  name: 'sync.check',
  summary: 'Check .cleo/plan for CI: readable, canonical, in step',
  params: strictObject({}),
  result: strictObject({ check: strictObject({ files: number(), problems: array(string()) }) }),
  errors: ['E_PLAN_OUT_OF_STEP', 'E_FILE_ERROR', 'E_CONFIG_ERROR'],
  tier: 1,
  usesHost: true,
  cli: { command: 'sync', select: 'check' },
  example: { call: {} },
  async run(ctx) {
    const inspection = await inspectPlan(ctx);
    requireKnownVersion(inspection.unreadable);
    const problems = listProblems(inspection);
    if (problems.length > 0) throw createOutOfStepError(inspection, problems);
    return { check: { files: inspection.files, problems } };
  },
});

const listProblems = ({ unreadable, outOfStep, reformatted, broken }: PlanInspection): string[] => [
  ...unreadable.map(({ file, line, message }) => `${file}, line ${line}: ${message}`),
  ...outOfStep.map((file) => `${file} is not in step with the store`),
  ...reformatted.map((file) => `${file} is not in the canonical form`),
  ...broken,
];

function createOutOfStepError({ unreadable }: PlanInspection, problems: string[]): CleoError {
  const hasConflict = unreadable.some(({ kind }) => kind === 'conflict-markers');
  const broken = unreadable.find(({ kind }) => kind === 'broken')?.file;
  return new CleoError('E_PLAN_OUT_OF_STEP', {
    problems: problems.slice(0, 50),
    count: problems.length,
    fix: hasConflict ? 'cleo sync --resolve' : broken ? 'cleo doctor' : 'cleo sync',
    ...(broken && !hasConflict ? { manual: `Repair ${broken}, or delete it: cleo sync writes it again from the store` } : {}),
  });
}
