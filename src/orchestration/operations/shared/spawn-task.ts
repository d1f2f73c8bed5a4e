import type { MutationContext } from '#core/define.ts';
import { CleoError } from '#core/errors/error.ts';
import type { TaskId } from '#core/model/scalars.ts';
import { tokenPrefix } from '#core/model/token.ts';
import { getRecordLimit } from '#core/rules/shared-records.ts';
import { defined } from '#lib/collections.ts';
import { estimateTokens } from '#lib/tokens.ts';
import { readStage } from '#planning/operations/shared/stages.ts';
import { getProtocolStage } from '#planning/rules/lifecycle.ts';
import { type ProtocolName, protocolNames } from '#skills/model/protocol.ts';
import { firstRound } from '#verification/rules/gates.ts';
import '../../errors.ts';
import {
  array,
  boolean,
  check,
  description,
  type InferOutput,
  metadata,
  number,
  optional,
  picklist,
  pipe,
  strictObject,
  string,
  transform,
} from 'valibot';
import { defaultSpawnBudget, maxInlineTokens, type SpawnBudget, SpawnRoleSchema } from '../../model/spawn.ts';
import { formatSecret, getSpawnEnv, type PromptFacts } from '../../rules/spawn-prompt.ts';
import type { PreparedSpawn } from './prepare-spawn.ts';
import { type SpawnFiles, toPromptName, toPromptPath } from './write-prompts.ts';

export const SpawnSchema = strictObject({
  taskId: string(),
  /** Type of agent that the prompt is for. */
  subagent: picklist(['cleo-subagent', 'cleo-validator']),
  agentId: string(),
  role: SpawnRoleSchema,
  skill: string(),
  protocol: picklist(protocolNames),
  tier: number(),
  /** Prompt to pass to the subagent unchanged; absent in a dry run. A long prompt is in `promptFile`, and this is one sentence. */
  prompt: optional(string()),
  /** Tokens of the complete prompt, also when `prompt` only points to a file. */
  promptTokens: number(),
  /** File with the complete prompt, if `prompt` only points to it. */
  promptFile: optional(string()),
  env: strictObject({ CLEO_AGENT_ID: string(), CLEO_SESSION_ID: optional(string()), CLEO_VALIDATOR_SECRET: optional(string()) }),
  outputDir: string(),
  tokenResolution: strictObject({ fullyResolved: boolean(), resolved: array(string()), unresolved: array(string()) }),
});
export type Spawn = InferOutput<typeof SpawnSchema>;

export const SpawnTier = pipe(
  number(),
  check((tier) => [0, 1, 2].includes(tier), 'must be 0, 1 or 2'),
  transform((tier) => tier as 0 | 1 | 2),
  description('Amount of protocol text: 0 minimal, 1 standard, 2 orchestrator'),
);

export const InlineParam = pipe(
  boolean(),
  description(`Return the whole prompt even if it has more than ${maxInlineTokens} tokens`),
  metadata({ isRare: true }),
);

export const isLongPrompt = ({ promptTokens }: PreparedSpawn, isInline: boolean): boolean => !isInline && promptTokens > maxInlineTokens;

export async function readSpawnBudget({ store, caller }: MutationContext, max: number | undefined): Promise<SpawnBudget> {
  const stored = await store.spawns.getBudget(caller);
  return { used: stored?.used ?? 0, max: max ?? stored?.max ?? defaultSpawnBudget };
}

/** Spawns a task: passes the caller's claim to the agent, records the spawn, and adds the answered prompt to `budget.used`. With `isToFile`,
 *  the prompt goes to a file and the answer contains a sentence that points to it. `files` receives what is written after the answer. */
export async function spawnTask(
  ctx: MutationContext,
  prepared: PreparedSpawn,
  { budget, files, isToFile }: { budget: SpawnBudget; files: SpawnFiles; isToFile: boolean },
): Promise<Spawn> {
  const { store, caller, now, platform, isDryRun } = ctx;
  const { task, facts, tier, prompt, promptTokens, tokenResolution } = prepared;
  if (prepared.findings.length > 0) throw new CleoError('E_SPAWN_VALIDATION_FAILED', { taskId: task.id, findings: prepared.findings });
  const { agentId, role, outputDir } = facts;
  const session = defined({ session: caller.session });
  const claim = role === 'worker' ? await store.claims.get(task.id) : undefined;
  if (claim?.agent === caller.agent) {
    await store.claims.release(task.id);
    await store.claims.insert({ taskId: task.id, agent: agentId, ...session, claimedAt: now, focusedAt: now, renewedAt: now });
  }
  const secret = role === 'validator' && !isDryRun ? `${tokenPrefix}${platform.randomSecret()}` : undefined;
  const round = ((await store.gates.getRounds(task.id)) ?? firstRound).round;
  await store.spawns.insert({
    taskId: task.id,
    agent: agentId,
    ...session,
    role,
    skill: facts.skill.name,
    protocol: facts.protocol.name,
    tier,
    promptHash: platform.sha256(prompt),
    hasProtocol: prompt.includes(facts.protocol.text.slice(0, facts.protocol.text.indexOf('\n'))),
    spawnedBy: caller.agent,
    at: now,
    ...(secret ? { secret: { hash: platform.sha256(secret), round } } : {}),
  });
  if (ctx.hasSharedStore() && !isDryRun) await storePrompt(ctx, agentId, prompt);
  if (role === 'worker' && facts.epicId) await startStage(ctx, facts.epicId, facts);
  const promptFile = toPromptPath(facts.manifestPath, agentId);
  // Other agents can read the file, so the secret is only in the answer.
  const answeredPrompt = isToFile
    ? `You are ${agentId}: read the file ${promptFile} in ${facts.root} and do exactly what it says.${secret ? ` ${formatSecret(secret)}` : ''}`
    : `${prompt}${secret ? `\n${formatSecret(secret)}\n` : ''}`;
  files.tasks.push(task.id);
  if (isToFile) files.prompts.push({ agentId, text: prompt });
  budget.used += estimateTokens(answeredPrompt);
  // Outside a session nothing identifies the orchestrator, so its budget is not stored.
  if (caller.session) await store.spawns.saveBudget(caller, budget, now);
  return {
    taskId: task.id,
    subagent: role === 'worker' ? 'cleo-subagent' : 'cleo-validator',
    agentId,
    role,
    skill: facts.skill.name,
    protocol: facts.protocol.name as ProtocolName,
    tier,
    ...(isDryRun ? {} : { prompt: answeredPrompt }),
    promptTokens,
    ...(isToFile ? { promptFile } : {}),
    env: { ...(getSpawnEnv(facts) as Spawn['env']), ...defined({ CLEO_VALIDATOR_SECRET: secret }) },
    outputDir,
    tokenResolution,
  };
}

/** Stores the prompt of an agent, so that colleagues can read it on other machines. The secret of a validator is not part of it. */
async function storePrompt({ store, platform, config, now }: MutationContext, agentId: string, prompt: string): Promise<void> {
  const record = { name: toPromptName(agentId), hash: platform.sha256(prompt), size: Buffer.byteLength(prompt) };
  await store.records.save('prompts', [{ ...record, stored: { encoding: 'utf8', content: prompt } }]);
  const limit = getRecordLimit(now, config['store.recordDays']);
  if (limit !== undefined) await store.records.omitBefore('prompts', limit);
}

/** Marks the stage of a spawned task as active: work on it has begun. */
async function startStage({ store, caller, now, config }: MutationContext, epicId: TaskId, { task, protocol }: PromptFacts): Promise<void> {
  if (config['lifecycleEnforcement.mode'] === 'off') return;
  const stage = getProtocolStage(protocol.name);
  const { current } = await readStage(store, epicId, stage);
  if (current.status !== 'pending' && current.status !== 'failed') return;
  await store.lifecycle.saveStage(epicId, { stage, status: 'active', by: caller.agent, at: now, reason: `${task.id} was spawned` });
}

export const warnOverBudget = ({ used, max }: SpawnBudget): string[] =>
  used > max
    ? [`ORC-005: prompts have used ${used} tokens of your context, the limit is ${max}; spawn without --inline or start a new session`]
    : [];
