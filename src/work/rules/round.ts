import type { GateName } from '#core/model/scalars.ts';
import { pluralize } from '#lib/noun.ts';
import type { ResearchStatus } from '#research/model/manifest.ts';

/** The facts about a task after its agent has ended. */
export interface RoundFacts {
  isDone: boolean;
  /** Gates that completion needs and that hold no evidence. */
  missingGates: GateName[];
  /** Gates whose evidence files have changed since. */
  staleGates: GateName[];
  /** The branch has commits that change something, or the task has an entry in the manifest. */
  hasWork: boolean;
  /** Changed and untracked files. */
  uncommitted: string[];
  /** Files of the project folder that changed while the agent ran. */
  outside: string[];
  /** The branch that should be checked out, if another one is. */
  leftBranch?: string | undefined;
  /** The status in the agent's return message; undefined without such a message. */
  returned?: ResearchStatus | undefined;
  /** The time limit, if the agent exceeded it. */
  timedOutMinutes?: number | undefined;
  /** Problems that were found while the result was checked, such as the reason why completion was refused. */
  problems: string[];
}

const maxNamedFiles = 5;

/** Lists what keeps the task from being accepted, as sentences for the agent of the next round. A missing qaPassed is none: another agent
 *  gives it. */
export function listFindings(facts: RoundFacts): string[] {
  const { isDone, hasWork, uncommitted, leftBranch, returned, timedOutMinutes, problems } = facts;
  const missing = facts.missingGates.filter((gate) => gate !== 'qaPassed');
  const awaitsValidator = facts.missingGates.length > 0 && missing.length === 0;
  return [
    timedOutMinutes !== undefined && `The agent did not finish within ${pluralize(timedOutMinutes, 'minute')}.`,
    leftBranch !== undefined && `The worktree is not on branch ${leftBranch} any more.`,
    !hasWork && 'Nothing was changed: the branch has no commit that changes a file, and the task has no entry in the manifest.',
    !hasWork && facts.outside.length > 0 && `${describeOutside(facts.outside)}. Only work in the worktree counts.`,
    uncommitted.length > 0 && `Files are not committed: ${nameFiles(uncommitted)}.`,
    facts.staleGates.length > 0 && `Files changed after they were submitted as evidence for ${facts.staleGates.join(', ')}.`,
    missing.length > 0 && `There is no evidence for ${missing.join(', ')}.`,
    isDone && (returned === 'partial' || returned === 'blocked') && `The task was completed, but the agent returned ${returned}.`,
    !isDone && returned === 'blocked' && 'The agent returned blocked.',
    !isDone && returned === 'partial' && !awaitsValidator && 'The agent returned partial.',
    !isDone && returned === undefined && 'The agent ended without completing the task and without a return message.',
    ...problems,
  ].filter((finding) => finding !== false);
}

const nameFiles = (paths: string[]): string =>
  `${paths.slice(0, maxNamedFiles).join(', ')}${paths.length > maxNamedFiles ? ` and ${paths.length - maxNamedFiles} more` : ''}`;

/** Reports changes outside a worktree. A person may have made them, so that they do not count against the agent. */
export const describeOutside = (paths: string[]): string => `Files of the project folder changed while the agent ran: ${nameFiles(paths)}`;

type RoundDecision = 'accept' | 'complete' | 'validate' | 'retry' | 'give-up';

/** Decides what follows a round: `accept` a task that the agent completed, `complete` it, have it judged, start another round with the
 *  findings, or give it up. */
export function decideRound(facts: RoundFacts, round: number, maxRounds: number): { decision: RoundDecision; findings: string[] } {
  const findings = listFindings(facts);
  if (findings.length > 0) return { decision: round < maxRounds ? 'retry' : 'give-up', findings };
  if (facts.isDone) return { decision: 'accept', findings };
  return { decision: facts.missingGates.includes('qaPassed') ? 'validate' : 'complete', findings };
}
