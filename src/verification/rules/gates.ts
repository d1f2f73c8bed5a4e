import { CleoError } from '#core/errors/error.ts';
import '../errors.ts';
import type { Gate, TaskId } from '#core/model/scalars.ts';
import type { StoredCriterion, TaskRecord } from '#tasks/model/task.ts';
import { type Attempt, gateNames, type Rounds } from '../model/verification.ts';

export type Held = Map<Gate, Attempt>;

/** The gates that hold evidence now. Evidence for a gate takes away what was passed after it, since that was judged on what it
 *  replaces; so does evidence that fails, and the gate with it. A rejection and a reopened task take all of them. */
export function heldGates(attempts: Attempt[]): Held {
  const held: Held = new Map();
  for (const attempt of attempts) {
    const from = isFreshStart(attempt) ? 0 : gateNames.indexOf(attempt.gate);
    for (const gate of gateNames.slice(from)) held.delete(gate);
    if (attempt.passed) held.set(attempt.gate, attempt);
  }
  return held;
}

const isFreshStart = ({ passed, evidence }: Attempt): boolean =>
  !passed && evidence.some(({ kind }) => kind === 'verdict' || kind === 'reopened');

/** The first gate that holds nothing, up to the last that the criteria are bound to: what nobody asks for is no next step. */
export function nextGate(held: Held, acceptance: StoredCriterion[] = [], isAllRequired = false): Gate | undefined {
  const bound = isAllRequired ? [] : acceptance.flatMap(({ gate }) => (gate ? gateNames.indexOf(gate) : []));
  const asked = bound.length > 0 ? gateNames.slice(0, Math.max(...bound) + 1) : gateNames;
  return asked.find((gate) => !held.has(gate));
}

export const firstRound: Rounds = { round: 1, failed: 0 };

/** What fails, and what is rejected, closes the round. */
export const afterFailure = ({ round, failed }: Rounds): Rounds => ({ round: round + 1, failed: failed + 1 });

/** Work that is taken up again begins anew. */
export const afterReopening = ({ round }: Rounds): Rounds => ({ round: round + 1, failed: 0 });

/** A verdict is on what was shown: anything new asks for a new one. */
export const afterEvidence = ({ round, failed }: Rounds): Rounds => ({ round, failed });

/** Refuses what takes no evidence: done (46); blocked, or with open work inside (40). */
export function checkVerifiable(task: Pick<TaskRecord, 'id' | 'status'>, openChildren: TaskId[]): void {
  const { id, status } = task;
  if (status === 'done')
    throw new CleoError('E_VERIFICATION_LOCKED', { taskId: id, problem: 'is done; its evidence is closed', fix: `cleo reopen ${id}` });
  if (status === 'blocked')
    throw new CleoError('E_VERIFICATION_INIT_FAILED', {
      taskId: id,
      problem: 'it is blocked',
      fix: `cleo update ${id} --clear-blocked-by`,
    });
  if (openChildren.length > 0)
    throw new CleoError('E_VERIFICATION_INIT_FAILED', {
      taskId: id,
      problem: `${openChildren.slice(0, 5).join(', ')} inside it ${openChildren.length === 1 ? 'is' : 'are'} open`,
      fix: `cleo list --parent ${id}`,
    });
}

/** Refuses (45) a gate whose turn has not come. */
export function checkGateOrder(taskId: TaskId, held: Held, gate: Gate): void {
  const missing = gateNames.slice(0, gateNames.indexOf(gate)).filter((each) => !held.has(each));
  if (missing.length > 0) throw new CleoError('E_GATE_DEPENDENCY', { taskId, missing });
}

/** Refuses (82) whoever did the work, under any of its names. */
export function checkIndependent(taskId: TaskId, workers: string[], ...judges: string[]): void {
  const agent = judges.find((judge) => workers.includes(judge));
  if (agent !== undefined) throw new CleoError('E_CIRCULAR_VALIDATION', { taskId, agent });
}

/** Gates that completion needs: those its criteria are bound to or, where the project asks for it, all of them; and that hold nothing. */
export function missingGates(acceptance: StoredCriterion[], held: Held, isAllRequired: boolean): Gate[] {
  const bound = new Set(acceptance.flatMap(({ gate }) => gate ?? []));
  return gateNames.filter((gate) => (isAllRequired || bound.has(gate)) && !held.has(gate));
}

/** Criteria that are bound to a gate are met while it holds evidence. */
export function withGates(acceptance: StoredCriterion[], held: Held): StoredCriterion[] {
  return acceptance.map((criterion) => {
    if (criterion.kind !== 'evidence_bound' || !criterion.gate) return criterion;
    const { metAt: _, metBy: __, ...plain } = criterion;
    const attempt = held.get(criterion.gate);
    return attempt ? { ...plain, metAt: attempt.at, metBy: attempt.by } : plain;
  });
}
