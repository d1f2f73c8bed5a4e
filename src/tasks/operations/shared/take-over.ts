import type { MutationContext } from '#core/define.ts';
import { CleoError } from '#core/errors/error.ts';
import type { Claim } from '#core/model/audit.ts';
import type { TaskId } from '#core/model/scalars.ts';
import { defined } from '#lib/collections.ts';
import '../../errors.ts';
import type { HolderState, TaskRecord } from '../../model/task.ts';
import { canTakeOver, formatHolder, formatLapse, isHolder } from '../../rules/claims.ts';
import { toForeignAgent } from '../../rules/foreign-holder.ts';
import { type ClaimJudge, createClaimJudge } from './claim-judge.ts';
import { createNotes } from './create-task.ts';
import { type ClaimContext, suggestAnother } from './task-transitions.ts';

/** Returns the claim to take over, if there is one. Throws (35) if the caller may not take it over. */
export async function checkTakeOver(ctx: ClaimContext, id: TaskId): Promise<Claim | undefined> {
  const claim = await ctx.store.claims.get(id);
  if (!claim || isHolder(claim, ctx.caller)) return claim;
  const judge = await createClaimJudge(ctx, [claim]);
  if (mayTakeFrom(claim, judge.judge(claim))) return claim;
  const error = await createClaimedError(ctx, claim, judge);
  ctx.requireScope('decide', { subject: id, action: `Taking ${id} from ${formatHolder(claim)}`, createError: () => error });
  return claim;
}

/** A holder in another clone cannot be seen here: its claim has the time of the last sync, and a person may know more. */
const mayTakeFrom = (claim: Claim, state: HolderState): boolean => canTakeOver(state) || toForeignAgent(claim.agent) !== undefined;

/** Creates the error of a task that another agent holds: who holds it, since when, and what the caller can do instead. */
export async function createClaimedError(
  ctx: ClaimContext,
  claim: Claim,
  { judge }: Pick<ClaimJudge, 'judge'>,
): Promise<CleoError<'E_TASK_CLAIMED'>> {
  const { caller } = ctx;
  const [state, holder] = [judge(claim), formatHolder(claim)];
  const isTakenFromCaller = claim.takenFrom !== undefined && listHolderNames(caller).includes(claim.takenFrom);
  const takeOver = ['start', claim.taskId, '--take-over', '--reason', `${holder} was last seen at ${claim.renewedAt}`];
  return new CleoError('E_TASK_CLAIMED', {
    taskId: claim.taskId,
    holder,
    since: claim.claimedAt,
    lastSeen: claim.renewedAt,
    state,
    takenOver: isTakenFromCaller ? { at: claim.claimedAt, reason: claim.takenReason ?? '' } : undefined,
    ...(await suggestAnother(ctx)),
    look: ctx.isNamed && ctx.session ? `cleo next --session ${ctx.session.id}` : undefined,
    claim: ctx.commandAs(['next', '--claim']),
    retry: mayTakeFrom(claim, state) || (await ctx.mayHaveScope('decide')) ? ctx.commandAs(takeOver) : undefined,
  });
}

/** Finds the task that was last taken over from the caller and is still held by another agent. */
export const findTakenOver = ({ store, caller }: Pick<ClaimContext, 'store' | 'caller'>): Promise<Claim | undefined> =>
  store.claims.getTakenFrom(listHolderNames(caller));

/** Formats the warning about a task that was taken over from the caller. */
export const formatTakenOver = (claim: Claim): string =>
  `${claim.taskId} was taken over from you by ${formatHolder(claim)}: ${claim.takenReason}`;

/** Ends the claim that is taken over. The history of the task says why; a take-over with a reason leaves a note as well. */
export async function endFormerClaim(
  ctx: ClaimContext & Pick<MutationContext, 'store'>,
  task: TaskRecord,
  former: Claim,
  reason: string | undefined,
): Promise<{ task: TaskRecord } & Required<Pick<Claim, 'takenFrom' | 'takenReason'>>> {
  const { store } = ctx;
  const takenFrom = formatHolder(former);
  const takenReason = reason ?? formatLapse(former, (await createClaimJudge(ctx, [former])).judge(former));
  await store.claims.release(task.id);
  const saved = task.status === 'active' ? await store.tasks.save(task, { ...task, status: 'pending' }, takenReason) : task;
  const [note] = reason === undefined ? [] : createNotes(ctx, `Taken over from ${takenFrom}: ${reason}`);
  if (!note) return { task: saved, takenFrom, takenReason };
  await store.tasks.appendNotes(saved, [note]);
  return { task: (await store.tasks.get(task.id)) ?? saved, takenFrom, takenReason };
}

/** A claim that was made outside a session is taken from the agent without its session. */
const listHolderNames = ({ agent, session }: ClaimContext['caller']): string[] => [agent, formatHolder(defined({ agent, session }))];
