import { answer, type MutationContext, mutation, noChange } from '#core/define.ts';
import { CleoError } from '#core/errors/error.ts';
import type { TaskId } from '#core/model/scalars.ts';
import { Line, Reason } from '#core/model/texts.ts';
import { observation, requestFacts } from '#core/observation.ts';
import { defined } from '#lib/collections.ts';
import { checkoutHead } from '#tasks/operations/shared/baseline.ts';
import { checkScope } from '#tasks/operations/shared/scope.ts';
import '../../errors.ts';
import { boolean, description, object, optional, picklist, pipe, strictObject, string } from 'valibot';
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

/** A commit or tag in the repository of the caller. */
const gitRef = observation({
  name: 'checkout.ref',
  request: object({ kind: picklist(['commit', 'tag']), name: string() }),
  facts: object({ isFound: boolean(), top: string() }),
  async observe({ platform, project }, { kind, name }) {
    const git = await platform.loadGit();
    const { top } = await platform.findWorkingTree(project);
    const found = kind === 'tag' ? await git.resolveTag(top, name) : await git.resolveCommit(top, name);
    return { isFound: found !== undefined, top };
  },
});

/** Parses the commit or tag of a provenance; an artifact has none. */
function parseRef(provenance: string): { kind: 'commit' | 'tag'; name: string } | undefined {
  const [kind, name = ''] = provenance.split(/:(.*)/s);
  return kind === 'commit' || kind === 'tag' ? { kind, name } : undefined;
}

export const lifecycleComplete = mutation({
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
  observes: [gitRef, checkoutHead],
  observeFirst({ provenance }) {
    const ref = provenance !== undefined && isProvenance(provenance) ? parseRef(provenance) : undefined;
    return ref ? [requestFacts(gitRef, ref)] : [];
  },
  cli: { command: 'lifecycle complete', args: ['epicId', 'stage'] },
  example: { world: ['T001 epic', 'stage T001 research active'], call: { epicId: 'T001', stage: 'research' } },
  async run(ctx, { epicId, stage, provenance, reason }) {
    const { store, config, now, caller, commandWith } = ctx;
    const mode = config['lifecycleEnforcement.mode'];
    await requireEpic(store, epicId, commandWith);
    await checkScope(ctx, epicId);
    const { known, current } = await readStage(store, epicId, stage);
    if (current.status === 'completed') return noChange({ stage: current, epicId });
    await checkStageGate(ctx, epicId, known, stage, mode);
    await checkStageCompletion(ctx, epicId, current);
    const problem = stage === 'release' || provenance !== undefined ? await findProvenanceProblem(ctx, provenance) : undefined;
    if (problem) throw new CleoError('E_PROVENANCE_REQUIRED', { epicId, problem, fix: await createProvenanceFix(ctx, epicId) });
    const completed: Stage = { stage, status: 'completed', by: caller.agent, at: now, ...defined({ reason, provenance }) };
    const warnings = await finishStage(ctx, epicId, completed, mode);
    if (!warnings) return noChange({ stage: (await readStage(store, epicId, stage)).current, epicId });
    const next = stageNames[stageNames.indexOf(stage) + 1];
    return answer({ stage: completed, epicId, ...defined({ next }) }, { warnings });
  },
});

/** Returns what is wrong with a provenance. Commits and tags are looked up in the caller's checkout. */
async function findProvenanceProblem({ getFacts }: MutationContext, given: string | undefined): Promise<string | undefined> {
  if (given === undefined) return provenanceForms;
  if (!isProvenance(given)) return `${JSON.stringify(given)} is not one of ${provenanceForms}`;
  const ref = parseRef(given);
  if (!ref) return undefined;
  const { isFound, top } = await getFacts(gitRef, ref);
  return isFound ? undefined : `there is no ${ref.kind} ${ref.name} in ${top}`;
}

/** Creates the same command with the checked-out commit, if there is one. */
async function createProvenanceFix({ getFacts, commandWith }: MutationContext, epicId: TaskId): Promise<string> {
  const { head } = await getFacts(checkoutHead, {});
  return head ? commandWith({ provenance: `commit:${head}` }) : `cleo lifecycle status ${epicId}`;
}
