import type { QueryContext } from '#core/define.ts';
import type { Problem } from '#tasks/rules/integrity.ts';
import { heldGates } from '../../rules/gates.ts';
import { staleGates } from './verification.ts';

/** Evidence of tasks that are not done whose files have changed since. */
export async function staleEvidence(ctx: Pick<QueryContext, 'store' | 'platform' | 'project'>): Promise<Problem[]> {
  const problems: Problem[] = [];
  for (const [taskId, attempts] of await ctx.store.gates.openOnes())
    for (const { gate, files, fix } of await staleGates(ctx, taskId, heldGates(attempts)))
      problems.push({
        kind: 'stale-evidence',
        severity: 'warning',
        taskId,
        message: `${taskId}: ${files.slice(0, 5).join(', ')}${files.length > 5 ? ' …' : ''} changed since it was evidence for ${gate}`,
        fix,
      });
  return problems;
}
