import { evidenceGateNames } from '#core/model/config.ts';
import type { GateName } from '#core/model/scalars.ts';
import { openManifest } from '#research/operations/shared/manifest.ts';
import { findTaskEntry } from '#research/rules/manifest.ts';
import { parseReturnMessage } from '#research/rules/return-message.ts';
import type { WorkItem } from '../../model/work-item.ts';
import type { RoundFacts } from '../../rules/round.ts';
import type { AgentEnd } from './run-agent.ts';
import { type ActiveTask, callAsAgent, getItemFolder, type WorkRun } from './work-run.ts';
import { workSteps } from './work-steps.ts';

interface CheckedResult {
  facts: RoundFacts;
  /** The commit that the agent left, if it made one. */
  commit?: string;
}

/** Looks at what an agent left: the state of its task, the gates, the branch, and its return message. */
export async function checkResult(work: WorkRun, { item, outside }: ActiveTask, end: AgentEnd | undefined): Promise<CheckedResult> {
  const { ctx, git } = work;
  const folder = getItemFolder(work, item);
  const isRepository = (await git.getPrefix(folder)) !== undefined;
  const branch = isRepository ? await git.getBranch(folder) : undefined;
  const done = isRepository ? await git.listWork(folder, item.start) : { commits: 0, isChanged: false };
  const head = done.commits > 0 ? await git.resolveCommit(folder, 'HEAD') : undefined;
  const manifest = await openManifest(ctx.project, work.config);
  const entry = findTaskEntry(manifest.read(), item.taskId);
  const { isDone, acceptance } = await ctx.runStep(workSteps.task, { taskId: item.taskId });
  const returned = end && readReturned(end.stream.lastMessage);
  const gates = isDone ? { missing: [], stale: [], problems: [] } : await checkGates(work, item, acceptance, head);
  return {
    facts: {
      isDone,
      missingGates: gates.missing,
      staleGates: gates.stale,
      // Outside git nothing shows whether the agent changed something.
      hasWork: done.isChanged || entry !== undefined || !isRepository,
      uncommitted: isRepository ? await git.listUncommitted(folder) : [],
      outside: [...outside],
      leftBranch: item.branch !== undefined && branch !== item.branch ? item.branch : undefined,
      returned,
      timedOutMinutes: end?.result.timedOut ? Math.round(end.result.durationMs / 60_000) : undefined,
      problems: gates.problems,
    },
    ...(head === undefined ? {} : { commit: head }),
  };
}

/** The status in the last message of an agent, which may have said something before it. */
function readReturned(message: string) {
  const last = message.trim().split('\n').at(-1) ?? '';
  return (parseReturnMessage(message) ?? parseReturnMessage(last.replace(/^[*_`\s]+|[*_`\s]+$/g, '')))?.status;
}

/** Finds gates without evidence. The commit of the agent is submitted for `implemented` if the agent did not do it. */
async function checkGates(
  work: WorkRun,
  item: WorkItem,
  acceptance: { gate?: GateName | undefined }[],
  commit: string | undefined,
): Promise<{ missing: GateName[]; stale: GateName[]; problems: string[] }> {
  const bound = evidenceGateNames.filter((gate) => work.config['verification.required'] || acceptance.some((each) => each.gate === gate));
  if (bound.length === 0) return { missing: [], stale: [], problems: [] };
  const problems: string[] = [];
  let views = await readGates(work, item);
  if (bound.includes('implemented') && commit !== undefined && !views.some(({ gate, isHeld }) => gate === 'implemented' && isHeld)) {
    const { error } = await callAsAgent(work, item, 'verify.gate', {
      taskId: item.taskId,
      gate: 'implemented',
      evidence: `commit:${commit}`,
    });
    if (error) problems.push(error.message);
    views = await readGates(work, item);
  }
  const held = views.filter(({ isHeld }) => isHeld);
  return {
    missing: bound.filter((gate) => held.every((view) => view.gate !== gate)),
    stale: held.filter(({ stale }) => stale !== undefined).map(({ gate }) => gate),
    problems,
  };
}

async function readGates(work: WorkRun, item: WorkItem): Promise<{ gate: GateName; isHeld?: true; stale?: string[] }[]> {
  const { result, error } = await callAsAgent(work, item, 'verify.status', { taskId: item.taskId });
  if (error) throw error;
  return (result.verification as { gates: { gate: GateName; isHeld?: true; stale?: string[] }[] }).gates;
}
