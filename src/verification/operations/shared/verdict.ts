import type { MutationContext } from '#core/define.ts';
import type { ErrorCode } from '#core/errors/catalog.ts';
import { CleoError } from '#core/errors/error.ts';
import type { TaskId } from '#core/model/scalars.ts';
import { defined } from '#lib/collections.ts';
import { checkScope } from '#tasks/operations/shared/scope.ts';
import '../../errors.ts';
import { description, metadata, optional, pipe, string } from 'valibot';
import type { GateAttempt, Independence, RoundState, ValidatorVerdict } from '../../model/verification.ts';
import { findObserverProblem } from '../../rules/gate-policy.ts';
import { checkGateOrder, checkIndependent } from '../../rules/gates.ts';
import { findSecretProof, requireIndependence } from './independence.ts';
import { getTokenName, recordAttempt, requireVerifiable, resolveAttester, type VerificationState } from './verification.ts';

/** Errors of both verdicts. */
export const verdictErrors = [
  'E_NOT_FOUND',
  'E_TASK_NOT_IN_SCOPE',
  'E_VERIFICATION_INIT_FAILED',
  'E_VERIFICATION_LOCKED',
  'E_INVALID_AGENT',
  'E_CIRCULAR_VALIDATION',
  'E_GATE_DEPENDENCY',
  'E_GATE_UPDATE_FAILED',
] satisfies ErrorCode[];

export const ValidatorSecret = optional(
  pipe(string(), description('Secret of your spawn as a validator; default: CLEO_VALIDATOR_SECRET'), metadata({ value: 'SECRET' })),
);
export const ValidatorAgent = optional(pipe(string(), description('Agent that judges; default: you')));

interface VerdictParams {
  taskId: TaskId;
  agent?: string | undefined;
  secret?: string | undefined;
}

interface PreparedVerdict {
  by: string;
  state: VerificationState;
  /** How the validator proved to be another agent; absent if the verdict exists already. */
  independence?: Independence;
  /** The spawn whose secret the verdict uses up. */
  spawn?: number;
}

/** Checks that the agent may judge the task now. A round has one verdict. */
export async function prepareVerdict(
  ctx: MutationContext,
  { taskId, agent, secret = ctx.platform.validatorSecret }: VerdictParams,
  verdict: ValidatorVerdict['verdict'],
): Promise<PreparedVerdict> {
  const { store, caller, commandWith } = ctx;
  await checkScope(ctx, taskId);
  const state = await requireVerifiable(store, taskId);
  const problem = findObserverProblem(ctx.config, 'qaPassed', defined({ token: getTokenName(ctx.token) }));
  if (problem) throw new CleoError('E_GATE_UPDATE_FAILED', { taskId, gate: 'qaPassed', problem, fix: ctx.commandAs(['verify', taskId]) });
  const proof = await findSecretProof(ctx, taskId, state.rounds.round, secret);
  // The secret was given to one agent, whatever name the call has.
  const by = proof && !proof.problem ? proof.agent : await resolveAttester(store, ctx, agent, commandWith({ agent: undefined }));
  checkIndependent(taskId, await store.gates.listWorkers(taskId), by, caller.agent);
  const existing = state.rounds.verdict;
  const isAttested = existing?.verdict === 'attested';
  if (isAttested && (verdict !== 'attested' || existing.by !== by))
    throw new CleoError('E_VERIFICATION_LOCKED', {
      taskId,
      problem: `was attested by ${existing.by}; a round has one verdict`,
      fix: `cleo verify ${taskId}`,
    });
  // A rejection needs only the gates before testsPassed, so that there is work to judge.
  if (isAttested) return { by, state };
  checkGateOrder(taskId, state.held, verdict === 'attested' ? 'qaPassed' : 'testsPassed');
  const independence = await requireIndependence(ctx, taskId, by, secret, proof);
  return { by, state, independence, ...(proof && independence === 'spawn' ? { spawn: proof.seq } : {}) };
}

/** Stores the verdict as an attempt at the last gate and as the verdict of the round. */
export async function recordVerdict<V extends ValidatorVerdict>(
  { store, now }: MutationContext,
  { state, spawn }: Pick<PreparedVerdict, 'state' | 'spawn'>,
  verdict: V,
  rounds: RoundState,
): Promise<{ taskId: TaskId } & V> {
  const { by, at, verdict: passed, reason, independence } = verdict;
  const evidence: GateAttempt['evidence'] = [{ kind: 'verdict', verdict: passed, ...defined({ reason, independence }) }];
  const attempt: GateAttempt = { gate: 'qaPassed', round: state.rounds.round, passed: passed === 'attested', evidence, by, at };
  if (spawn !== undefined) await store.spawns.markSecretUsed(spawn, now);
  await recordAttempt(store, state, attempt, { ...rounds, verdict });
  return { taskId: state.task.id, ...verdict };
}
