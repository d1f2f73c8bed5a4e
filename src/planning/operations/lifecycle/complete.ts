import { description, optional, pipe, strictObject } from 'valibot';
import { CleoError } from '#core/errors/error.ts';
import '../../errors.ts';
import { answer, type JobContext, job, noChange } from '#core/define.ts';
import { Line, Reason, type TaskId } from '#core/model/scalars.ts';
import { defined } from '#lib/defined.ts';
import { checkScope } from '#tasks/operations/shared/scope.ts';
import { type Stage, StageNameSchema, stageNames } from '../../model/lifecycle.ts';
import { isProvenance, provenanceForms } from '../../rules/lifecycle.ts';
import {
  checkStageCompletion,
  checkStageGate,
  epicAliases,
  finishStage,
  readStage,
  requireEpic,
  StageResult,
  stageParams,
} from '../shared/stages.ts';

export const lifecycleComplete = job({
  name: 'lifecycle.complete',
  summary: 'Complete a stage of an epic; release needs provenance',
  params: strictObject({
    ...stageParams,
    provenance: optional(pipe(Line, description(`Source of the release: ${provenanceForms}`))),
    reason: optional(Reason),
  }),
  paramAliases: epicAliases,
  result: strictObject({ ...StageResult.entries, next: optional(StageNameSchema) }),
  errors: [
    'E_NOT_FOUND',
    'E_VALIDATION',
    'E_LIFECYCLE_GATE_FAILED',
    'E_LIFECYCLE_TRANSITION_INVALID',
    'E_PROVENANCE_REQUIRED',
    'E_TASK_NOT_IN_SCOPE',
    'E_DEPENDENCY_ERROR',
  ],
  tier: 2,
  runsOn: 'both',
  cli: { command: 'lifecycle complete', args: ['epicId', 'stage'] },
  example: { world: ['T001 epic', 'stage T001 research active'], call: { epicId: 'T001', stage: 'research' } },
  async run(ctx, { epicId, stage, provenance, reason }) {
    const { now, caller, commandWith } = ctx;
    const mode = ctx.config()['lifecycleEnforcement.mode'];
    const problem = await ctx.read(async (store) => {
      await requireEpic(store, epicId, commandWith);
      await checkScope({ ...ctx, store }, epicId);
      const { known, current } = await readStage(store, epicId, stage);
      if (current.status === 'completed') return undefined;
      await checkStageGate({ ...ctx, store }, epicId, known, stage, mode);
      await checkStageCompletion({ ...ctx, store }, epicId, current);
      return stage === 'release' || provenance !== undefined ? findProvenanceProblem(ctx, provenance) : undefined;
    });
    if (problem) throw new CleoError('E_PROVENANCE_REQUIRED', { epicId, problem, fix: await createProvenanceFix(ctx, epicId) });
    return ctx.write(async (store) => {
      await checkScope({ ...ctx, store }, epicId);
      const completed: Stage = { stage, status: 'completed', by: caller.agent, at: now, ...defined({ reason, provenance }) };
      const warnings = await finishStage({ ...ctx, store }, epicId, completed, mode);
      if (!warnings) return noChange({ stage: (await readStage(store, epicId, stage)).current, epicId });
      const next = stageNames[stageNames.indexOf(stage) + 1];
      return answer({ stage: completed, epicId, ...defined({ next }) }, { warnings });
    });
  },
});

/** Returns what is wrong with a provenance. Commits and tags are looked up in the caller's checkout. */
async function findProvenanceProblem({ platform, project }: JobContext, given: string | undefined): Promise<string | undefined> {
  if (given === undefined) return provenanceForms;
  if (!isProvenance(given)) return `${JSON.stringify(given)} is not one of ${provenanceForms}`;
  const [kind = '', name = ''] = given.split(/:(.*)/s);
  if (kind === 'artifact') return undefined;
  const git = await platform.loadGit();
  const { top } = await platform.findWorkingTree(project);
  const found = kind === 'tag' ? await git.resolveTag(top, name) : await git.resolveCommit(top, name);
  return found ? undefined : `there is no ${kind} ${name} in ${top}`;
}

/** Creates the same command with the checked-out commit, if there is one. */
async function createProvenanceFix({ platform, project, commandWith }: JobContext, epicId: TaskId): Promise<string> {
  const { top } = await platform.findWorkingTree(project);
  const head = await (await platform.loadGit()).resolveCommit(top, 'HEAD').catch(() => undefined);
  return head ? commandWith({ provenance: `commit:${head}` }) : `cleo lifecycle status ${epicId}`;
}
