import { CleoError } from '#core/errors/error.ts';
import '../../errors.ts';
import type { MutationContext } from '#core/define.ts';
import type { TaskRecord } from '#tasks/model/task.ts';
import type { Attempt } from '../../model/verification.ts';
import { heldGates, missingGates } from '../../rules/gates.ts';
import { staleGates } from './verification.ts';

type Here = Pick<MutationContext, 'platform' | 'project'>;

/** What completion asks of the gates: those it needs hold evidence, and what any of them holds is still as it was. */
export async function checkEvidence(
  ctx: Here,
  { id: taskId, acceptance }: TaskRecord,
  attempts: Attempt[],
  isAllRequired: boolean,
): Promise<void> {
  const held = heldGates(attempts);
  // What is stale comes first: showing it again takes away the gates after it.
  const stale = await staleGates(ctx, taskId, held);
  if (stale[0])
    throw new CleoError('E_EVIDENCE_STALE', { taskId, stale: stale.map(({ gate, files }) => ({ gate, files })), fix: stale[0].fix });
  const missing = missingGates(acceptance, held, isAllRequired);
  if (missing.length > 0) throw new CleoError('E_GATE_DEPENDENCY', { taskId, missing });
}
