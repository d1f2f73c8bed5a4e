import { dirname } from 'node:path';
import {
  array,
  boolean,
  check,
  description,
  type InferOutput,
  number,
  optional,
  picklist,
  pipe,
  strictObject,
  string,
  transform,
} from 'valibot';
import { CleoError } from '#core/errors/error.ts';
import '../../errors.ts';
import type { MutationContext } from '#core/define.ts';
import { estimateTokens } from '#lib/tokens.ts';
import { type ProtocolName, protocolNames } from '#skills/model/protocol.ts';
import { defaultBudget, type SpawnBudget, SpawnRole } from '../../model/spawn.ts';
import { spawnEnv } from '../../rules/spawn-prompt.ts';
import type { Prepared } from './prepare.ts';

export const Spawn = strictObject({
  taskId: string(),
  /** The kind of agent that the prompt is for. */
  subagent: picklist(['cleo-subagent', 'cleo-validator']),
  agentId: string(),
  role: SpawnRole,
  skill: string(),
  protocol: picklist(protocolNames),
  tier: number(),
  /** What to hand to the subagent, unchanged; a dry run has none. */
  prompt: optional(string()),
  /** Of the whole of it. */
  promptTokens: number(),
  /** Where the whole of it is, if `prompt` only says so. */
  promptFile: optional(string()),
  env: strictObject({ CLEO_AGENT_ID: string(), CLEO_SESSION_ID: optional(string()) }),
  outputDir: string(),
  tokenResolution: strictObject({ fullyResolved: boolean(), resolved: array(string()), unresolved: array(string()) }),
});
export type Spawn = InferOutput<typeof Spawn>;

export const Tier = pipe(
  number(),
  check((tier) => [0, 1, 2].includes(tier), 'must be 0, 1 or 2'),
  transform((tier) => tier as 0 | 1 | 2),
  description('How much of the protocol text goes in: 0 minimal, 1 standard, 2 orchestrator'),
);
/** What is left of an orchestrator's budget while a call lasts. Outside a session nothing tells one run from another, and nothing is kept. */
export interface Purse extends SpawnBudget {
  isKept: boolean;
}

export async function purseOf({ store, caller }: MutationContext, max: number | undefined): Promise<Purse> {
  const kept = await store.spawns.budget(caller);
  return { used: kept?.used ?? 0, max: max ?? kept?.max ?? defaultBudget, isKept: caller.session !== undefined };
}

/** Hands a prompt out: the folder for what comes of it, the claim of the caller, the record, and the answer with the prompt or, where
 *  it goes to a file, with the sentence that leads there. */
export async function handOut(ctx: MutationContext, prepared: Prepared, purse: Purse, isToFile: boolean): Promise<Spawn> {
  const { store, caller, now, platform, isDryRun } = ctx;
  const { task, facts, tier, prompt, promptTokens, tokenResolution } = prepared;
  if (prepared.findings.length > 0) throw new CleoError('E_SPAWN_VALIDATION_FAILED', { taskId: task.id, findings: prepared.findings });
  const { agentId, role, outputDir } = facts;
  const claim = role === 'worker' ? await store.claims.of(task.id) : undefined;
  if (claim?.agent === caller.agent) {
    await store.claims.release(task.id);
    await store.claims.put({ taskId: task.id, agent: agentId, ...sessionOf(ctx), claimedAt: now, renewedAt: now });
  }
  await store.spawns.insert({
    taskId: task.id,
    agent: agentId,
    ...sessionOf(ctx),
    role,
    skill: facts.skill.name,
    protocol: facts.protocol.name,
    tier,
    promptHash: platform.sha256(prompt),
    hasProtocol: prompt.includes(facts.protocol.text.slice(0, facts.protocol.text.indexOf('\n'))),
    spawnedBy: caller.agent,
    at: now,
  });
  const promptFile = facts.manifestPath.replace(/[^/]*$/, `prompts/${agentId}.md`);
  const { inProject } = await import('#platform/shared-file.ts');
  const place = (path: string): string => inProject(ctx.project.root, path, 'cleo config unset orchestrate.outputDir').path;
  const folder = place(outputDir);
  const told = isToFile ? `Read ${promptFile} in ${ctx.project.root} and do exactly what it says. You are ${agentId}.` : prompt;
  if (!isDryRun) platform.files.makeFolder(folder);
  if (!isDryRun && isToFile) {
    const path = place(promptFile);
    platform.files.makeFolder(dirname(path));
    platform.files.writeWhole(path, prompt);
  }
  purse.used += estimateTokens(told);
  if (purse.isKept) await store.spawns.keepBudget(caller, purse, now);
  return {
    taskId: task.id,
    subagent: role === 'worker' ? 'cleo-subagent' : 'cleo-validator',
    agentId,
    role,
    skill: facts.skill.name,
    protocol: facts.protocol.name as ProtocolName,
    tier,
    ...(isDryRun ? {} : { prompt: told }),
    promptTokens,
    ...(isToFile ? { promptFile } : {}),
    env: spawnEnv(facts) as Spawn['env'],
    outputDir,
    tokenResolution,
  };
}

export const overBudget = ({ used, max }: Purse): string[] =>
  used > max
    ? [`ORC-005: prompts have cost you ${used} tokens, ${max} are allowed; hand over by file (--prompt-file), or to a session of your own`]
    : [];

const sessionOf = ({ caller }: MutationContext): { session?: string } => (caller.session ? { session: caller.session } : {});
