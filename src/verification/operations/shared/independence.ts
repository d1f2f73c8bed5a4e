import type { MutationContext } from '#core/define.ts';
import { CleoError } from '#core/errors/error.ts';
import type { TaskId } from '#core/model/scalars.ts';
import { defined, isPlainObject } from '#lib/collections.ts';
import { parseJson } from '#lib/parse-json.ts';
import { findCallerProcess } from '#sessions/operations/shared/caller-process.ts';
import { toConversationAgent } from '#sessions/rules/caller.ts';
import type { ReadStore } from '#store/port/store.ts';
import '../../errors.ts';
import type { Independence } from '../../model/verification.ts';
import { type AgentInstance, findSharedFact } from '../../rules/independence.ts';
import { getTokenName } from './verification.ts';

/** A validator that proves itself with the secret of its spawn. */
interface SecretProof {
  seq: number;
  agent: string;
  /** The reason why the secret does not count for this verdict. */
  problem?: string;
}

/** Finds the spawn that a secret belongs to. An unknown secret proves nothing. */
export async function findSecretProof(
  { store, platform }: Pick<MutationContext, 'store' | 'platform'>,
  taskId: TaskId,
  round: number,
  secret: string | undefined,
): Promise<SecretProof | undefined> {
  const spawn = secret === undefined ? undefined : await store.spawns.findBySecret(taskId, platform.sha256(secret));
  if (!spawn) return undefined;
  const problem = spawn.usedAt
    ? `the secret of ${spawn.agent} was used for a verdict already`
    : spawn.round === round
      ? undefined
      : `the secret of ${spawn.agent} is for round ${spawn.round}, and ${taskId} is in round ${round}`;
  return { seq: spawn.seq, agent: spawn.agent, ...defined({ problem }) };
}

/** Returns how the caller proves to be another agent than those who worked on the task. Throws (82) if it does not. */
export async function requireIndependence(
  ctx: MutationContext,
  taskId: TaskId,
  by: string,
  secret: string | undefined,
  proof: SecretProof | undefined,
): Promise<Independence> {
  const isSecretAccepted = ctx.config['verification.independence'] === 'spawn';
  if (proof && !proof.problem && isSecretAccepted) return 'spawn';
  const shared = await findSharedInstance(ctx, taskId, by);
  if (!shared) return 'process';
  const secretProblem =
    secret === undefined
      ? undefined
      : !isSecretAccepted
        ? 'verification.independence accepts no secrets'
        : (proof?.problem ?? `the secret is not that of a validator of ${taskId}`);
  const problem = [shared.problem, secretProblem].filter(Boolean).join('; ');
  const error = new CleoError('E_CIRCULAR_VALIDATION', { taskId, agent: by, problem });
  if (shared.isSame) throw error;
  // A person who proves to be one is not the agent that worked on the task.
  ctx.requireScope('decide', { subject: taskId, action: `Judging ${taskId}`, createError: () => error });
  return 'person';
}

/** Finds the fact that the caller shares with an agent that worked on the task; undefined if it is another agent. */
async function findSharedInstance(ctx: MutationContext, taskId: TaskId, by: string): Promise<ReturnType<typeof findSharedFact>> {
  const { store, caller, token } = ctx;
  const process = await findCallerProcess(ctx);
  const conversation = ctx.conversation && toConversationAgent(ctx.conversation.client, ctx.conversation.id);
  const judge = { agent: by, isRecorded: true, ...defined({ process, token: getTokenName(token), conversation }) };
  const participants = (await store.gates.listParticipants(taskId)).map(toParticipant);
  const [own, ...others] = await addConversations(store, [judge, ...participants]);
  const judged = { ...own!, conversations: [...own!.conversations, caller.agent] };
  const shared = others.flatMap((worker) => findSharedFact(judged, worker) ?? []);
  return shared.find(({ isSame }) => isSame) ?? shared[0];
}

type Participant = Omit<AgentInstance, 'conversations'> & { conversation?: string };

function toParticipant({ agent, principal, process }: { agent: string; principal?: string; process?: string }): Participant {
  const known = parseJson(principal);
  const facts = isPlainObject(known) ? known : {};
  const getText = (key: string): string | undefined => (typeof facts[key] === 'string' ? facts[key] : undefined);
  return {
    agent,
    isRecorded: principal !== undefined,
    ...defined({ token: getText('token'), process: process ?? getText('process'), conversation: getText('conversation') }),
  };
}

async function addConversations(store: ReadStore, participants: Participant[]): Promise<AgentInstance[]> {
  const processes = [...new Set(participants.flatMap(({ process }) => process ?? []))];
  const seen = processes.length > 0 ? await store.gates.listConversations(processes) : [];
  return participants.map(({ conversation, ...participant }) => ({
    ...participant,
    conversations: [
      participant.agent,
      ...(conversation ? [conversation] : []),
      ...seen.filter(({ process }) => process === participant.process).map((each) => each.conversation),
    ],
  }));
}
