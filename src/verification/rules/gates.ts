import { CleoError } from '#core/errors/error.ts';
import '../errors.ts';
import { evidenceGateNames } from '#core/model/config.ts';
import type { GateName, TaskId } from '#core/model/scalars.ts';
import type { StoredCriterion, TaskRecord } from '#tasks/model/task.ts';
import type { ClaimedEvidence, GateAttempt, RoundState } from '../model/verification.ts';

export type HeldGates = Map<GateName, GateAttempt>;

/** Finds the gates that hold evidence. New evidence for a gate clears the later gates, because they were passed on the old evidence;
 *  rejected evidence also clears the gate itself. A rejection by a validator and reopening the task clear all gates. A mere
 *  statement changes nothing. */
export function findHeldGates(attempts: GateAttempt[]): HeldGates {
  const held: HeldGates = new Map();
  for (const attempt of attempts) {
    if (isClaimed(attempt)) continue;
    const from = isReset(attempt) ? 0 : evidenceGateNames.indexOf(attempt.gate);
    for (const gate of evidenceGateNames.slice(from)) held.delete(gate);
    if (attempt.passed) held.set(attempt.gate, attempt);
  }
  return held;
}

/** True for an attempt that consists of unchecked statements. */
export const isClaimed = ({ passed, evidence }: GateAttempt): boolean => !passed && evidence.every(({ kind }) => kind === 'claimed');

/** Lists the statements of the attempts, in order. */
export const listClaimedEvidence = (attempts: GateAttempt[]): ClaimedEvidence[] =>
  attempts.flatMap(({ gate, by, at, evidence }) =>
    evidence.flatMap((each) => (each.kind === 'claimed' ? [{ gate, by, at, text: each.text, problem: each.problem }] : [])),
  );

const isReset = ({ passed, evidence }: GateAttempt): boolean =>
  !passed && evidence.some(({ kind }) => kind === 'verdict' || kind === 'reopened');

/** Finds the first gate without evidence, up to the last one that the criteria are bound to; later gates are not required. */
export function findNextGate(held: HeldGates, acceptance: StoredCriterion[] = [], isAllRequired = false): GateName | undefined {
  const bound = isAllRequired ? [] : acceptance.flatMap(({ gate }) => (gate ? evidenceGateNames.indexOf(gate) : []));
  const required = bound.length > 0 ? evidenceGateNames.slice(0, Math.max(...bound) + 1) : evidenceGateNames;
  return required.find((gate) => !held.has(gate));
}

export const firstRound: RoundState = { round: 1, failed: 0 };

/** Starts the next round after failed evidence or a rejection. */
export const failRound = ({ round, failed }: RoundState): RoundState => ({ round: round + 1, failed: failed + 1 });

/** Starts the next round of a reopened task and clears the failure count. */
export const resetRounds = ({ round }: RoundState): RoundState => ({ round: round + 1, failed: 0 });

/** Drops the verdict: it does not cover new evidence. */
export const clearVerdict = ({ round, failed }: RoundState): RoundState => ({ round, failed });

/** Throws if the task cannot take evidence: it is done (46), blocked or has open children (40). */
export function checkVerifiable({ id, status }: Pick<TaskRecord, 'id' | 'status'>, openChildren: TaskId[]): void {
  if (status === 'done')
    throw new CleoError('E_VERIFICATION_LOCKED', { taskId: id, problem: 'is done and takes no more evidence', fix: `cleo reopen ${id}` });
  const createError = (problem: string, fix: string) => new CleoError('E_VERIFICATION_INIT_FAILED', { taskId: id, problem, fix });
  if (status === 'blocked') throw createError('it is blocked', `cleo update ${id} --clear-blocked-by`);
  if (openChildren.length === 0) return;
  const children = openChildren.slice(0, 5).join(', ');
  throw createError(
    openChildren.length === 1 ? `its child ${children} is open` : `its children ${children} are open`,
    `cleo list --parent ${id}`,
  );
}

/** Throws (45) if an earlier gate has no evidence. */
export function checkGateOrder(taskId: TaskId, held: HeldGates, gate: GateName): void {
  const missing = evidenceGateNames.slice(0, evidenceGateNames.indexOf(gate)).filter((each) => !held.has(each));
  if (missing.length > 0) throw new CleoError('E_GATE_DEPENDENCY', { taskId, missing });
}

/** Throws (82) if one of the judges did the work. */
export function checkIndependent(taskId: TaskId, workers: string[], ...judges: string[]): void {
  const agent = judges.find((judge) => workers.includes(judge));
  if (agent !== undefined) throw new CleoError('E_CIRCULAR_VALIDATION', { taskId, agent });
}

/** Finds gates without evidence that completion needs: those the criteria are bound to, or all gates if the project requires them. */
export function findMissingGates(acceptance: StoredCriterion[], held: HeldGates, isAllRequired: boolean): GateName[] {
  const bound = new Set(acceptance.flatMap(({ gate }) => gate ?? []));
  return evidenceGateNames.filter((gate) => (isAllRequired || bound.has(gate)) && !held.has(gate));
}

/** Marks criteria that are bound to a gate as met while the gate holds evidence. */
export function updateBoundCriteria(acceptance: StoredCriterion[], held: HeldGates): StoredCriterion[] {
  return acceptance.map((criterion) => {
    if (criterion.kind !== 'evidence_bound' || !criterion.gate) return criterion;
    const { metAt: _, metBy: __, ...plain } = criterion;
    const attempt = held.get(criterion.gate);
    return attempt ? { ...plain, metAt: attempt.at, metBy: attempt.by } : plain;
  });
}
