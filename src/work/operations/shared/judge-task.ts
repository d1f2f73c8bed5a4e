import { defined } from '#lib/collections.ts';
import type { RunContext } from '#runs/runner/run-context.ts';
import type { WorkItem } from '../../model/work-item.ts';
import { createSlotAgent } from '../../rules/names.ts';
import { runAgent } from './run-agent.ts';
import { type ActiveTask, callAsAgent, getItemFolder, getWorktreeFolder, type WorkRun } from './work-run.ts';
import { addDetachedWorktree, removeWorktree, retireWorktree } from './worktree.ts';

interface ValidatorSpawn {
  agentId: string;
  prompt: string;
  env: Record<string, string>;
}

/** The reason of a rejection, if the validator rejects the work, or why it could not be started. */
export interface Judgement {
  rejection?: string;
  problem?: string;
}

/** Has a second agent judge the work, in a fresh worktree of the commit. */
export async function judgeTask(work: WorkRun, run: RunContext, active: ActiveTask, commit: string | undefined): Promise<Judgement> {
  const { ctx, validator, process } = work;
  const { item } = active;
  const name = `${item.taskId}-validator`;
  const isInWorktree = item.worktree !== undefined && commit !== undefined;
  const folder = isInWorktree ? getWorktreeFolder(work, name) : getItemFolder(work, item);
  if (isInWorktree) {
    await removeWorktree(work, name);
    await addDetachedWorktree(work, name, commit);
  }
  try {
    const spawned = await ctx.call(
      'orchestrate.spawn',
      { taskId: item.taskId, role: 'validator', inline: true, folder },
      defined({ agent: createSlotAgent(validator.name, process.workId, 0), session: item.session, folder }),
    );
    if (spawned.error) throw spawned.error;
    const spawn = spawned.result.spawn as ValidatorSpawn;
    const { result } = await runAgent(work, run, item, {
      profile: validator,
      phase: `round-${item.round}-validator`,
      folder,
      prompt: spawn.prompt,
      promptFile: item.promptFile,
      env: spawn.env,
      signal: active.kill.signal,
    });
    if (result.problem !== undefined) return { problem: result.problem };
  } finally {
    if (isInWorktree) await retireWorktree(work, name);
  }
  return defined({ rejection: await readRejection(work, item) });
}

interface VerificationView {
  gates: { gate: string; isHeld?: true }[];
  verdict?: { verdict: string; reason?: string };
  failures?: { gate: string; evidence: { kind: string; reason?: string; text?: string }[] }[];
}

async function readRejection(work: WorkRun, item: WorkItem): Promise<string | undefined> {
  const { result, error } = await callAsAgent(work, item, 'verify.status', { taskId: item.taskId });
  if (error) throw error;
  const view = result.verification as VerificationView;
  if (view.gates.some(({ gate, isHeld }) => gate === 'qaPassed' && isHeld)) return undefined;
  const reason = JSON.stringify(view.verdict ?? view.failures?.at(-1)?.evidence ?? '');
  return reason === '""' ? 'The validator gave no verdict.' : `The validator rejected the work: ${reason}`;
}
