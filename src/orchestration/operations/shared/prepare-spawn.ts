import { join } from 'node:path';
import type { MutationContext } from '#core/define.ts';
import type { TaskId } from '#core/model/scalars.ts';
import { toTokenAgent } from '#core/rules/token-agent.ts';
import { defined } from '#lib/collections.ts';
import { estimateTokens } from '#lib/tokens.ts';
import { checkStageGate } from '#planning/operations/shared/stages.ts';
import { getProtocolStage } from '#planning/rules/lifecycle.ts';
import { openManifest } from '#research/operations/shared/manifest.ts';
import { findTaskEntry, getManifestPath, getOutputFolder } from '#research/rules/manifest.ts';
import { orchestratorSections, protocolTiers, renderProtocol } from '#research/rules/protocol-text.ts';
import { isProtocol, type ProtocolName, protocolTable } from '#skills/model/protocol.ts';
import type { SkillSet } from '#skills/model/skill.ts';
import { requireSkill } from '#skills/operations/shared/find-skill.ts';
import { toSkillSet } from '#skills/operations/shared/skill-heads.ts';
import { dispatchSkill, type SkillChoice } from '#skills/rules/dispatch-skill.ts';
import type { TaskRecord } from '#tasks/model/task.ts';
import { createClaimJudge } from '#tasks/operations/shared/claim-judge.ts';
import { checkScope } from '#tasks/operations/shared/scope.ts';
import { formatHolder, isHolder } from '#tasks/rules/claims.ts';
import { findHeldGates, findMissingGates } from '#verification/rules/gates.ts';
import type { SpawnRecord, SpawnRole } from '../../model/spawn.ts';
import { protocolText } from '../../protocol.generated.ts';
import { baseProtocol, protocols } from '../../protocols.generated.ts';
import { checkSpawn, type SpawnFinding } from '../../rules/spawn-preflight.ts';
import { buildSpawnPrompt, type PromptFacts } from '../../rules/spawn-prompt.ts';
import { formatPackForPrompt } from './context-pack.ts';
import { isOutstanding, warnSharedFiles } from './ready-conflicts.ts';
import { projectSkills, skillText } from './spawn-inputs.ts';

export interface SpawnOptions {
  role: SpawnRole;
  tier: 0 | 1 | 2;
  protocol?: ProtocolName | undefined;
  skill?: string | undefined;
  /** The checkout that the agent works in, if it is not the project folder. Output files stay in the project. */
  folder?: string | undefined;
  /** Rules of that checkout, which end the prompt. */
  folderRules?: string | undefined;
}

/** Inputs that are the same for every task of one call. */
type SpawnInputs = Awaited<ReturnType<typeof readSpawnInputs>>;

export async function readSpawnInputs(ctx: MutationContext) {
  const file = await openManifest(ctx.project, ctx.config);
  const { root, skills, rows, project } = await ctx.getFacts(projectSkills, {});
  return {
    root,
    project,
    // The text of the chosen skill is asked for later.
    skills: toSkillSet({ skills, rows }),
    manifest: file.read(),
    archived: file.archived(),
  };
}

export interface PreparedSpawn {
  task: TaskRecord;
  facts: PromptFacts;
  tier: 0 | 1 | 2;
  prompt: string;
  promptTokens: number;
  tokenResolution: { fullyResolved: boolean; resolved: string[]; unresolved: string[] };
  findings: SpawnFinding[];
  warnings: string[];
}

const validatorSkill = 'ct-ivtr-validator';
/** Token budget for the context around the task; the task itself is included in full. */
const contextBudget = 1500;

/** Prepares a spawn without performing it: builds the prompt and checks the task. Throws E_TASK_NOT_IN_SCOPE for a task outside the
 *  session and E_LIFECYCLE_GATE_FAILED for a task of a later stage. */
export async function prepareSpawn(
  ctx: MutationContext,
  inputs: SpawnInputs,
  task: TaskRecord,
  options: SpawnOptions,
): Promise<PreparedSpawn> {
  const { store, config, caller, now, token } = ctx;
  const { role, tier, folder = inputs.root, folderRules } = options;
  const toAgentPath = (path: string): string => (folder === inputs.root ? path : join(inputs.root, path));
  await checkScope(ctx, task.id);
  const ancestry = await store.tasks.getAncestry(task.id);
  const epicId = ancestry.find(({ type }) => type === 'epic')?.id;
  const stages = epicId ? await store.lifecycle.listStages(epicId) : [];
  const earlierSpawns = await store.spawns.listForTask(task.id);
  const choice = chooseSkill(task, stages.find(({ status }) => status === 'active')?.stage, options, inputs.skills, earlierSpawns);
  const { protocol } = choice;
  const { text: skillBody, references } = await ctx.getFacts(skillText, { name: choice.skill.name, protocol });
  const skill = { ...choice.skill, text: skillBody };
  const warnings = epicId ? await checkStageGate(ctx, epicId, stages, getProtocolStage(protocol), config['lifecycleEnforcement.mode']) : [];
  const attempts = await store.gates.listAttempts(task.id);
  const name = `${task.id}-${role}-${earlierSpawns.filter((spawn) => spawn.role === role).length + 1}`;
  const facts: PromptFacts = {
    role,
    // The agent of a client has the token of its user, which acts under its own name or one below it.
    agentId: token?.isClient ? toTokenAgent(token, name) : name,
    session: caller.session,
    spawnedBy: caller.agent,
    root: folder,
    project: inputs.project,
    date: now.slice(0, 10),
    task,
    epicId,
    outputDir: toAgentPath(getOutputFolder(config, task.id)),
    manifestPath: toAgentPath(getManifestPath(config)),
    commands: {
      show: config['orchestrate.showCommand'],
      focus: config['orchestrate.focusCommand'],
      complete: config['orchestrate.completeCommand'],
      link: config['orchestrate.linkCommand'],
    },
    baseProtocol,
    protocol: { name: protocol, title: protocolTable[protocol].title, text: protocols[protocol] },
    skill,
    injection: renderProtocol(protocolText, protocolTiers[tier], ctx.registry.entries, tier === 0 ? orchestratorSections : []),
    context: await formatPackForPrompt(ctx, task.id, contextBudget, inputs.manifest),
    gates: findMissingGates(task.acceptance, findHeldGates(attempts), config['verification.required']),
  };
  const built = buildSpawnPrompt(facts, new Map(references));
  const { resolved, unresolved } = built;
  const text = folderRules === undefined ? built.text : `${built.text}\n${folderRules}`;
  const claim = await store.claims.get(task.id);
  const isHeldByOther = claim && !isHolder(claim, caller) && !(await createClaimJudge(ctx, [claim])).isLapsed(claim);
  const holder = isHeldByOther ? formatHolder(claim) : undefined;
  const findings = checkSpawn({
    task,
    ...defined({ epicId, holder }),
    role,
    openDepends: task.status === 'done' ? [] : await store.tasks.listOpenDependencies(task.id),
    isTouched: task.startedAt !== undefined || attempts.length > 0 || hasEntry(inputs, task.id),
    skill: skill.name,
    unresolved,
  });
  return {
    task,
    facts,
    tier,
    prompt: text,
    promptTokens: estimateTokens(text),
    tokenResolution: { fullyResolved: unresolved.length === 0, resolved, unresolved },
    findings,
    warnings: [...warnings, ...(await listWarnings(ctx, inputs, task, role, earlierSpawns))],
  };
}

/** Chooses skill and protocol: those in the options first, then those that match the task. A validator gets the protocol that the worker
 *  followed. */
function chooseSkill(
  task: TaskRecord,
  stage: string | undefined,
  { role, skill, protocol }: SpawnOptions,
  set: SkillSet,
  earlierSpawns: SpawnRecord[],
): Pick<SkillChoice, 'skill' | 'protocol'> {
  const dispatched = dispatchSkill({ ...task, stage, protocol }, set.skills, set.rows);
  if (role === 'validator') {
    const workerProtocol = earlierSpawns.findLast((spawn) => spawn.role === 'worker')?.protocol;
    const judgedProtocol = workerProtocol !== undefined && isProtocol(workerProtocol) ? workerProtocol : dispatched.protocol;
    return { skill: requireSkill(set, skill ?? validatorSkill), protocol: protocol ?? judgedProtocol };
  }
  if (skill === undefined) return dispatched;
  const namedSkill = requireSkill(set, skill);
  return { skill: namedSkill, protocol: protocol ?? namedSkill.protocol ?? dispatched.protocol };
}

const hasEntry = ({ manifest, archived }: SpawnInputs, taskId: TaskId): boolean =>
  findTaskEntry(manifest, taskId) !== undefined || findTaskEntry(archived, taskId) !== undefined;

async function listWarnings(
  ctx: MutationContext,
  inputs: SpawnInputs,
  task: TaskRecord,
  role: SpawnRole,
  earlierSpawns: SpawnRecord[],
): Promise<string[]> {
  const { store } = ctx;
  const isWorker = role === 'worker';
  const openChildren = isWorker ? (await store.tasks.listChildren(task.id)).filter(({ status }) => status !== 'done') : [];
  const dependencySpawns = isWorker ? await store.spawns.listLatest(task.depends) : [];
  const uncollected = dependencySpawns.filter(({ taskId }) => !hasEntry(inputs, taskId));
  const last = earlierSpawns.findLast((spawn) => spawn.role === role);
  return [
    ...(task.description?.trim() ? [] : [`${task.id} has no description; its title is used instead`]),
    ...(openChildren.length ? [`${task.id} cannot be completed before ${openChildren.map(({ id }) => id).join(', ')}`] : []),
    ...uncollected.map(
      ({ taskId }) =>
        `ORC-009: the manifest has no entry for ${taskId}, which ${task.id} depends on; run cleo orchestrate collect ${taskId}`,
    ),
    ...(isWorker ? await warnSharedFiles(ctx, task) : []),
    ...(last && isOutstanding(last, task) ? [formatOutstanding(task.id, last.agent)] : []),
  ];
}

export const formatOutstanding = (taskId: TaskId, agent: string): string =>
  `${taskId} was spawned for ${agent} and has not been started yet`;
