import { defined } from '#lib/collections.ts';
import { getRenewalIntervalMs } from '#tasks/rules/claims.ts';
import type { WorkItem } from '../../model/work-item.ts';
import type { WorkRun } from './work-run.ts';
import { workSteps } from './work-steps.ts';

/** Renews the claims of the items that this process works on, or will resume, also while nothing of their agents runs: `work.setup` and a
 *  validator can take longer than a claim lasts. */
export function keepClaims({ ctx, config, processKey }: WorkRun, listItems: () => WorkItem[]): { stop(): void } {
  const renew = (): void => {
    // A store that cannot be written now is tried again; the claim outlives several renewals.
    for (const { agentId: agent, session } of listItems())
      ctx.runStep(workSteps.renew, { agent, process: processKey, ...defined({ session }) }).catch(() => {});
  };
  const limits = {
    ttlMinutes: config['claims.ttlMinutes'],
    awayMinutes: config['claims.awayMinutes'],
    silentMinutes: config['claims.silentMinutes'],
  };
  const timer = setInterval(renew, Math.max(1000, getRenewalIntervalMs(limits)));
  timer.unref();
  return { stop: () => clearInterval(timer) };
}
