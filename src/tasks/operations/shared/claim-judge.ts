import type { QueryContext } from '#core/define.ts';
import type { Claim } from '#core/model/audit.ts';
import type { HolderState } from '../../model/task.ts';
import { type ClaimLimits, isLapsed, judgeHolder } from '../../rules/claims.ts';

export interface ClaimJudge {
  judge(claim: Claim): HolderState;
  isLapsed(claim: Claim): boolean;
}

/** Creates the judge of these claims: by the time of the store, the configuration and the processes of this machine. */
export async function createClaimJudge(
  { store, now, config }: Pick<QueryContext, 'store' | 'now' | 'config' | 'platform'>,
  _claims: Claim[],
): Promise<ClaimJudge> {
  const limits: ClaimLimits = {
    now: await store.claims.getLeaseTime(now),
    ttlMinutes: config['claims.ttlMinutes'],
    awayMinutes: config['claims.awayMinutes'],
    silentMinutes: config['claims.silentMinutes'],
    isProcessRunning: () => undefined,
  };
  return { judge: (claim) => judgeHolder(claim, limits), isLapsed: (claim) => isLapsed(claim, limits) };
}
