import type { MutationContext } from '#core/define.ts';
import type { TaskId } from '#core/model/scalars.ts';
import type { ProjectContext } from '#detect/model/project-context.ts';
import { projectContextOf } from '#detect/operations/shared/project-context.ts';
import { estimateTokens } from '#lib/tokens.ts';
import { lifecycleGate, stageOf } from '#planning/rules/lifecycle.ts';
import { manifestOf } from '#research/operations/shared/manifest.ts';
import { entryFor, type Manifest, manifestPath, outputFolder } from '#research/rules/manifest.ts';
import { protocolTiers, protocolUpTo } from '#research/rules/protocol.ts';
import { isProtocol, type ProtocolName, protocolTable } from '#skills/model/protocol.ts';
import type { Skill, SkillSet } from '#skills/model/skill.ts';
import { requireSkill, skillsOf } from '#skills/operations/shared/found.ts';
import { type SkillChoice, skillFor } from '#skills/rules/skill-dispatch.ts';
import type { TaskRecord } from '#tasks/model/task.ts';
import { checkScope } from '#tasks/operations/shared/scope.ts';
import { holderOf, isExpired, isHolder } from '#tasks/rules/claims.ts';
import { heldGates, missingGates } from '#verification/rules/gates.ts';
import type { SpawnRecord, SpawnRole } from '../../model/spawn.ts';
import { protocolText } from '../../protocol.generated.ts';
import { baseProtocol, protocols } from '../../protocols.generated.ts';
import { type Finding, spawnFindings } from '../../rules/spawn-preflight.ts';
import { type PromptFacts, spawnPrompt } from '../../rules/spawn-prompt.ts';
import { referencesIn } from '../../rules/tokens-resolve.ts';
import { packForPrompt } from './pack.ts';

export interface SpawnAsked {
  role: SpawnRole;
  tier: 0 | 1 | 2;
  protocol?: ProtocolName | undefined;
  skill?: string | undefined;
}

/** What is the same for every task of one call. */
export interface Shelf {
  skills: SkillSet;
  manifest: Manifest;
  archived: Manifest;
  project?: ProjectContext | undefined;
}

export async function shelfOf({ platform, project, config }: MutationContext): Promise<Shelf> {
  const file = await manifestOf(project, config);
  return {
    skills: await skillsOf(platform),
    manifest: file.read(),
    archived: file.archived(),
    project: projectContextOf(platform, project),
  };
}

export interface Prepared {
  task: TaskRecord;
  facts: PromptFacts;
  tier: 0 | 1 | 2;
  prompt: string;
  promptTokens: number;
  tokenResolution: { fullyResolved: boolean; resolved: string[]; unresolved: string[] };
  findings: Finding[];
  warnings: string[];
}

const validatorSkill = 'ct-ivtr-validator';
/** For what surrounds the task; the task itself is told whole. */
const contextBudget = 1500;

/** Everything about a spawn but the act: the prompt, and what speaks against handing it out. Refuses what lies outside the session (34)
 *  or before a stage that is not over (80). */
export async function prepare(ctx: MutationContext, shelf: Shelf, task: TaskRecord, asked: SpawnAsked): Promise<Prepared> {
  const { store, config, caller, project, now } = ctx;
  await checkScope(ctx, task.id);
  const ancestry = await store.tasks.ancestry(task.id);
  const epicId = ancestry.find(({ type }) => type === 'epic')?.id;
  const stages = epicId ? await store.lifecycle.stages(epicId) : [];
  const before = await store.spawns.of(task.id);
  const choice = choose(task, stages.find(({ status }) => status === 'active')?.stage, asked, shelf.skills, before);
  const { skill, protocol } = choice;
  const warnings = epicId ? lifecycleGate(epicId, stages, stageOf(protocol), config['lifecycleEnforcement.mode']) : [];
  const facts: PromptFacts = {
    role: asked.role,
    agentId: nextAgent(task.id, asked.role, before),
    session: caller.session,
    spawnedBy: caller.agent,
    root: project.root,
    project: shelf.project,
    date: now.slice(0, 10),
    task,
    epicId,
    outputDir: outputFolder(config, task.id),
    manifestPath: manifestPath(config),
    commands: {
      show: config['orchestrate.showCommand'],
      focus: config['orchestrate.focusCommand'],
      complete: config['orchestrate.completeCommand'],
      link: config['orchestrate.linkCommand'],
    },
    baseProtocol,
    protocol: { name: protocol, title: protocolTable[protocol].title, text: protocols[protocol] },
    skill,
    injection: protocolUpTo(protocolText, protocolTiers[asked.tier], ctx.registry.entries),
    context: await packForPrompt(ctx, task.id, contextBudget, shelf.manifest),
    gates: missingGates(task.acceptance, heldGates(await store.gates.of(task.id)), config['verification.required']),
  };
  const { text, resolved, unresolved } = spawnPrompt(facts, await references(ctx, skill, facts.protocol.text));
  const claim = await store.claims.of(task.id);
  const isOthers = claim && !isHolder(claim, caller) && !isExpired(claim, await store.claims.moment(now), config['claims.ttlMinutes']);
  const findings = spawnFindings({
    task,
    ...(epicId ? { epicId } : {}),
    role: asked.role,
    openDepends: task.status === 'done' ? [] : await store.tasks.openDepends(task.id),
    ...(claim && isOthers ? { holder: holderOf(claim) } : {}),
    skill: skill.name,
    unresolved,
  });
  return {
    task,
    facts,
    tier: asked.tier,
    prompt: text,
    promptTokens: estimateTokens(text),
    tokenResolution: { fullyResolved: unresolved.length === 0, resolved, unresolved },
    findings,
    warnings: [...warnings, ...(await doubts(ctx, shelf, task, asked.role, before))],
  };
}

/** A skill that is named is taken, and so is a protocol; the rest follows from the task. Who judges a task goes by what the work went by. */
function choose(
  task: TaskRecord,
  stage: string | undefined,
  { role, skill, protocol }: SpawnAsked,
  set: SkillSet,
  before: SpawnRecord[],
): Pick<SkillChoice, 'skill' | 'protocol'> {
  const dispatched = skillFor({ ...task, stage, protocol }, set.skills, set.rows);
  if (role === 'validator') {
    const worked = before.findLast((spawn) => spawn.role === 'worker')?.protocol;
    const known = worked !== undefined && isProtocol(worked) ? worked : dispatched.protocol;
    return { skill: requireSkill(set, skill ?? validatorSkill), protocol: protocol ?? known };
  }
  if (skill === undefined) return dispatched;
  const named = requireSkill(set, skill);
  return { skill: named, protocol: protocol ?? named.protocol ?? dispatched.protocol };
}

const nextAgent = (id: TaskId, role: SpawnRole, before: SpawnRecord[]): string =>
  `${id}-${role}-${before.filter((spawn) => spawn.role === role).length + 1}`;

/** What is no reason to refuse, but worth knowing. */
async function doubts(
  { store }: MutationContext,
  shelf: Shelf,
  task: TaskRecord,
  role: SpawnRole,
  before: SpawnRecord[],
): Promise<string[]> {
  const open = role === 'worker' ? (await store.tasks.children(task.id)).filter(({ status }) => status !== 'done') : [];
  const built = role === 'worker' ? await store.spawns.latest(task.depends) : [];
  const unchecked = built.filter(({ taskId }) => !entryFor(shelf.manifest, taskId) && !entryFor(shelf.archived, taskId));
  const last = before.findLast((spawn) => spawn.role === role);
  return [
    ...(task.description?.trim() ? [] : [`${task.id} has no description; its title stands for it`]),
    ...(open.length ? [`${task.id} cannot be completed before ${open.map(({ id }) => id).join(', ')}`] : []),
    ...unchecked.map(
      ({ taskId }) => `ORC-009: the manifest has nothing of ${taskId}, on which ${task.id} builds; cleo orchestrate collect ${taskId}`,
    ),
    ...(last && isOutstanding(last, task) ? [`${task.id} was handed to ${last.agent} before, and nothing has come of it yet`] : []),
  ];
}

/** Whether nothing has happened to the task since it was handed out. */
export const isOutstanding = (spawn: SpawnRecord, task: TaskRecord): boolean => task.status === 'pending' && spawn.at >= task.updatedAt;

async function references({ project }: MutationContext, skill: Skill, protocol: string): Promise<Map<string, string>> {
  const paths = referencesIn([baseProtocol, protocol, skill.text].join('\n\n'));
  if (paths.length === 0) return new Map();
  const { readReferences } = await import('#platform/references.ts');
  return readReferences(project, skill.origin === 'project' ? skill.path : undefined, paths);
}
