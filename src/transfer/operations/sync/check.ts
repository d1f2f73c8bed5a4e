import { query } from '#core/define.ts';
import { CleoError } from '#core/errors/error.ts';
import { defined } from '#lib/collections.ts';
import '../../errors.ts';
import { array, number, strictObject, string } from 'valibot';
import { openClientPlan, planObservations } from '../shared/client-plan.ts';
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
  observes: planObservations,
  maxBodyBytes: 256 << 20,
  cli: { command: 'sync', select: 'check' },
  example: { call: {} },
  async run(ctx) {
    const client = await openClientPlan(ctx);
    const inspection = await inspectPlan({ ...ctx, ...(client ? { platform: client.platform } : {}) });
    await client?.requireContents();
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
  ...broken.map(({ message }) => message),
];

function createOutOfStepError({ unreadable, outOfStep, reformatted, broken }: PlanInspection, problems: string[]): CleoError {
  const unreadableFile = unreadable.find(({ kind }) => kind === 'broken')?.file;
  const create = (fix: string, manual?: string): CleoError =>
    new CleoError('E_PLAN_OUT_OF_STEP', { problems: problems.slice(0, 50), count: problems.length, fix, ...defined({ manual }) });
  if (unreadable.some(({ kind }) => kind === 'conflict-markers')) return create('cleo sync --resolve');
  if (unreadableFile) return create('cleo doctor', `Repair ${unreadableFile}, or delete it: cleo sync writes it again from the store`);
  // A sync would not change the files: only a person can decide what is wrong in the cycle.
  const [cycle] = outOfStep.length + reformatted.length > 0 ? [] : broken;
  return cycle
    ? create(`cleo deps ${cycle.id}`, 'Remove a dependency of the cycle with cleo update --remove-depends, then cleo sync')
    : create('cleo sync');
}
