import { description, optional, pipe, strictObject, string } from 'valibot';
import { CleoError } from '#core/errors/error.ts';
import '../../errors.ts';
import { answer, type JobContext, job, noChange } from '#core/define.ts';
import { Line, Reason, type TaskId } from '#core/model/scalars.ts';
import { checkScope } from '#tasks/operations/shared/scope.ts';
import { Stage, StageName, stageNames } from '../../model/lifecycle.ts';
import { checkStageMove, isProvenance, lifecycleGate, provenanceForms } from '../../rules/lifecycle.ts';
import { EpicId, epicNames, finishStage, requireEpic, StageParam, stageNow } from '../shared/stages.ts';

export const lifecycleComplete = job({
  name: 'lifecycle.complete',
  summary: 'Complete a stage of an epic; a release needs its provenance',
  params: strictObject({
    epicId: EpicId,
    stage: StageParam,
    provenance: optional(pipe(Line, description(`What was released: ${provenanceForms}`))),
    reason: optional(Reason),
  }),
  paramAliases: epicNames,
  result: strictObject({ stage: Stage, epicId: string(), next: optional(StageName) }),
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
  cli: { command: 'lifecycle complete', args: ['epicId', 'stage'] },
  example: { world: ['T001 epic', 'stage T001 research active'], call: { epicId: 'T001', stage: 'research' } },
  async run(ctx, { epicId, stage, provenance, reason }) {
    const { now, caller, commandWith } = ctx;
    const mode = ctx.config()['lifecycleEnforcement.mode'];
    const problem = await ctx.read(async (store) => {
      await requireEpic(store, epicId, commandWith);
      const { known, current } = await stageNow(store, epicId, stage);
      if (current.status === 'completed') return undefined;
      lifecycleGate(epicId, known, stage, mode);
      checkStageMove(epicId, current, 'complete');
      return stage === 'release' || provenance !== undefined ? provenanceProblem(ctx, provenance) : undefined;
    });
    if (problem) throw new CleoError('E_PROVENANCE_REQUIRED', { epicId, problem, fix: await withProvenance(ctx, epicId) });
    return ctx.write(async (store) => {
      await checkScope({ ...ctx, store }, epicId);
      const completed: Stage = {
        stage,
        status: 'completed',
        by: caller.agent,
        at: now,
        ...(reason ? { reason } : {}),
        ...(provenance ? { provenance } : {}),
      };
      const warnings = await finishStage(store, epicId, completed, mode);
      if (!warnings) return noChange({ stage: (await stageNow(store, epicId, stage)).current, epicId });
      const next = stageNames[stageNames.indexOf(stage) + 1];
      return answer({ stage: completed, epicId, ...(next ? { next } : {}) }, { warnings });
    });
  },
});

/** Why it does not tell what was released. What git can know, git is asked, in the caller's own checkout. */
async function provenanceProblem({ platform, project }: JobContext, given: string | undefined): Promise<string | undefined> {
  if (given === undefined) return `${provenanceForms}`;
  if (!isProvenance(given)) return `${JSON.stringify(given)} is none of ${provenanceForms}`;
  const [kind = '', name = ''] = given.split(/:(.*)/s);
  if (kind === 'artifact') return undefined;
  const git = await platform.git();
  const { top } = await platform.workingTree(project);
  const found = kind === 'tag' ? await git.tag(top, name) : await git.commit(top, name);
  return found ? undefined : `there is no ${kind} ${name} in ${top}`;
}

/** The same with what is checked out here, where something is. */
async function withProvenance({ platform, project, commandWith }: JobContext, epicId: TaskId): Promise<string> {
  const { top } = await platform.workingTree(project);
  const head = await (await platform.git()).commit(top, 'HEAD').catch(() => undefined);
  return head ? commandWith({ provenance: `commit:${head}` }) : `cleo lifecycle status ${epicId}`;
}
