import type { QueryContext } from '#core/define.ts';
import type { Claim } from '#core/model/audit.ts';
import type { HolderState } from '../../model/task.ts';
import { type ClaimLimits, findNextLapseMs, isLapsed, judgeHolder } from '../../rules/claims.ts';

export interface ClaimJudge {
  judge(claim: Claim): HolderState;
  isLapsed(claim: Claim): boolean;
  /** Returns the time until one of the claims that have not lapsed can lapse without a write. */
  getNextLapseMs(): number | undefined;
}

/** Creates the judge of these claims: by the time of the store, the configuration and the processes of this machine. The process table
 *  is loaded only if a claim has a process, and each process is looked up at most once. */
export async function createClaimJudge(
  { store, now, config, platform }: Pick<QueryContext, 'store' | 'now' | 'config' | 'platform'>,
  claims: Claim[],
): Promise<ClaimJudge> {
  const processes = claims.some((claim) => claim.process !== undefined) ? await platform.loadProcesses() : undefined;
  const known = new Map<string, boolean | undefined>();
  const limits: ClaimLimits = {
    now: await store.claims.getLeaseTime(now),
    ttlMinutes: config['claims.ttlMinutes'],
    awayMinutes: config['claims.awayMinutes'],
    silentMinutes: config['claims.silentMinutes'],
    isProcessRunning(process) {
      if (!known.has(process)) known.set(process, processes?.isProcessRunning(process));
      return known.get(process);
    },
  };
  return {
    judge: (claim) => judgeHolder(claim, limits),
    isLapsed: (claim) => isLapsed(claim, limits),
    getNextLapseMs() {
      return findNextLapseMs(
        claims.filter((claim) => !isLapsed(claim, limits)),
        limits,
      );
    },
  };
}
