import type { QueryContext } from '#core/define.ts';
import type { TaskProblem } from '#tasks/rules/integrity.ts';
import { findHeldGates } from '../../rules/gates.ts';
import { findStaleGates } from './verification.ts';

/** Reports changed evidence files of all tasks that are not done. */
export async function findStaleEvidence(ctx: Pick<QueryContext, 'store' | 'platform' | 'project'>): Promise<TaskProblem[]> {
  const problems: TaskProblem[] = [];
  for (const [taskId, attempts] of await ctx.store.gates.listOpenAttempts())
    for (const { gate, files, fix } of await findStaleGates(ctx, taskId, findHeldGates(attempts)))
      problems.push({
        kind: 'stale-evidence',
        severity: 'warning',
        taskId,
        message: `${taskId}: evidence files for ${gate} have changed: ${files.slice(0, 5).join(', ')}${files.length > 5 ? ' …' : ''}`,
        fix,
      });
  return problems;
}
