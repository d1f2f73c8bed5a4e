import { CleoError } from '#core/errors/error.ts';
import '../../errors.ts';
import type { MutationContext } from '#core/define.ts';
import type { TaskRecord } from '#tasks/model/task.ts';
import type { GateAttempt } from '../../model/verification.ts';
import { findHeldGates, findMissingGates } from '../../rules/gates.ts';
import { findStaleGates } from './verification.ts';

/** Throws unless every gate that completion needs holds evidence and no evidence file has changed. */
export async function checkEvidence(
  ctx: Pick<MutationContext, 'platform' | 'project'>,
  { id: taskId, acceptance }: TaskRecord,
  attempts: GateAttempt[],
  isAllRequired: boolean,
): Promise<void> {
  const held = findHeldGates(attempts);
  // Stale gates are reported first, because submitting their evidence again clears the later gates.
  const stale = await findStaleGates(ctx, taskId, held);
  if (stale[0])
    throw new CleoError('E_EVIDENCE_STALE', { taskId, stale: stale.map(({ gate, files }) => ({ gate, files })), fix: stale[0].fix });
  const missing = findMissingGates(acceptance, held, isAllRequired);
  if (missing.length > 0) throw new CleoError('E_GATE_DEPENDENCY', { taskId, missing });
}
