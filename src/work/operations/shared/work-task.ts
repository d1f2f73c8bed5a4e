import { CleoError } from '#core/errors/error.ts';
import { defined } from '#lib/collections.ts';
import type { RunContext } from '#runs/runner/run-context.ts';
import type { Profile } from '../../model/profile.ts';
import type { WorkItem, WorkOutcome } from '../../model/work-item.ts';
import { decideRound, describeOutside } from '../../rules/round.ts';
import { attentionLabel } from '../../rules/selection.ts';
import { formatRoundPrompt } from '../../rules/work-prompts.ts';
import { checkResult } from './check-result.ts';
import { integrate } from './integrate.ts';
import { judgeTask } from './judge-task.ts';
import { closeTaskRun, openTaskRun, recordRound } from './open-run.ts';
import { type AgentEnd, runAgent } from './run-agent.ts';
import { type ActiveTask, callAsAgent, getItemFolder, report, saveItem, type WorkRun } from './work-run.ts';
import { workSteps } from './work-steps.ts';
import { ensureWorktree, retireWorktree } from './worktree.ts';

/** How the work on a task ended, and why. */
interface TaskEnd {
  outcome: WorkOutcome;
  note?: string;
  /** The reason why no agent of this profile can start; it ends the whole run. */
  fatal?: CleoError;
}

/** Does one task: worktree, rounds, validator, integration. Whatever happens, the task is completed, released or left with its claim, and
 *  the state of the item says which. */
export async function workTask(work: WorkRun, active: ActiveTask, isResumed: boolean): Promise<TaskEnd> {
  const { item } = active;
  const run = await openTaskRun(work, item);
  let end: TaskEnd;
  try {
    end = await attemptTask(work, run, active, isResumed);
  } catch (error) {
    if (!(error instanceof CleoError)) throw error;
    end = active.kill.signal.aborted
      ? await release(work, item, 'stopped', endedEarly)
      : await release(work, item, 'attention', `${error.message}; fix: ${error.fix}`);
  } finally {
    await run.trace.sync();
  }
  end = await reportOutside(work, active, end);
  saveItem(work, item, {
    state: end.outcome === 'lost' ? 'stopped' : end.outcome,
    endedAt: work.ctx.platform.now(),
    ...defined({ note: end.note }),
  });
  await closeTaskRun(run, end.outcome);
  report(work, 'work_ended', item.taskId, { outcome: end.outcome, note: end.note, branch: item.branch, rounds: item.round });
  return end;
}

/** Adds the files of the project folder that changed while the agent ran to the note on its task. */
async function reportOutside(work: WorkRun, { item, outside }: ActiveTask, end: TaskEnd): Promise<TaskEnd> {
  if (outside.size === 0) return end;
  const text = describeOutside([...outside]);
  if (end.note?.includes(text)) return end;
  if (end.outcome !== 'lost') await addNote(work, item, text);
  return { ...end, note: [end.note, text].filter(Boolean).join('; ') };
}

/** Marks the changes in the project folder, where the agent of a worktree must not work. */
const markOutside = async ({ ctx, git }: WorkRun, { worktree }: WorkItem): Promise<Map<string, string>> =>
  worktree === undefined ? new Map() : git.markChanges(ctx.project.root);

async function attemptTask(work: WorkRun, run: RunContext, active: ActiveTask, isResumed: boolean): Promise<TaskEnd> {
  const { item } = active;
  const { config } = work;
  const start = await ensureWorktree(work, item);
  if (item.start === '') saveItem(work, item, { start });
  const maxRounds = Math.max(1, config['work.rounds']);
  // A task that its agent completed before `cleo work` was killed needs no agent any more.
  let isSkipped = isResumed && (await isDone(work, item));
  for (;;) {
    if (active.kill.signal.aborted) return release(work, item, 'stopped', endedEarly);
    const outcome = await runRound(work, run, active, isSkipped, isResumed);
    isSkipped = false;
    if ('end' in outcome) return outcome.end;
    if (active.kill.signal.aborted) return release(work, item, 'stopped', endedEarly);
    if (item.round >= maxRounds)
      return release(work, item, 'attention', `gave up after ${countRounds(item.round)}: ${outcome.findings.join(' ')}`);
    if (active.isStopping) return release(work, item, 'stopped', `stopped after ${countRounds(item.round)}: ${outcome.findings.join(' ')}`);
    saveItem(work, item, { round: item.round + 1, findings: outcome.findings, state: 'working' });
    report(work, 'work_round', item.taskId, { round: item.round, findings: outcome.findings });
  }
}

const countRounds = (rounds: number): string => (rounds === 1 ? '1 round' : `${rounds} rounds`);

type RoundOutcome = { end: TaskEnd } | { findings: string[] };

/** Runs one round: the agent, the check of what it left, the validator, and the integration. */
async function runRound(work: WorkRun, run: RunContext, active: ActiveTask, isSkipped: boolean, isResumed: boolean): Promise<RoundOutcome> {
  const { item } = active;
  const { profile } = work;
  const phase = `round-${item.round}`;
  let agent: AgentEnd | undefined;
  if (!isSkipped) {
    const changes = await markOutside(work, item);
    agent = await runAgent(work, run, item, {
      profile,
      phase,
      folder: getItemFolder(work, item),
      prompt: readPrompt(work, item, isResumed),
      promptFile: item.promptFile,
      env: defined({ CLEO_AGENT_ID: item.agentId, CLEO_SESSION_ID: item.session }) as Record<string, string>,
      signal: active.kill.signal,
    });
    for (const [path, mark] of await markOutside(work, item)) if (changes.get(path) !== mark) active.outside.add(path);
    if (active.outside.size > 0) run.warnings.push({ code: 'undeclared_write', message: describeOutside([...active.outside]) });
    const { problem } = agent.result;
    if (problem !== undefined) return endWithoutAgent(work, item, profile, problem);
    if (agent.result.cancelled) return { end: await release(work, item, 'stopped', endedEarly) };
  }
  const { owner } = await work.ctx.runStep(workSteps.owner, { taskId: item.taskId, agentId: item.agentId });
  if (owner !== undefined) return { end: { outcome: 'lost', note: owner } };
  saveItem(work, item, { state: 'checking' });
  const { facts, commit } = await checkResult(work, active, agent);
  saveItem(work, item, defined({ commit }));
  const { decision, findings } = decideRound(facts, item.round, work.config['work.rounds']);
  const record = (all: string[]): void =>
    recordRound(run, {
      phase,
      profile: profile.name,
      findings: all,
      exitCode: agent?.result.exitCode ?? 0,
      durationMs: agent?.result.durationMs ?? 0,
    });
  if (findings.length > 0) {
    record(findings);
    await reopen(work, item, facts.isDone);
    return { findings };
  }
  if (decision === 'validate') {
    saveItem(work, item, { state: 'judging' });
    const { rejection, problem } = await judgeTask(work, run, active, commit);
    if (problem !== undefined) return endWithoutAgent(work, item, work.validator, problem);
    if (rejection !== undefined) {
      record([rejection]);
      return { findings: [rejection] };
    }
  }
  if (!facts.isDone) {
    const { error } = await callAsAgent(work, item, 'tasks.complete', { taskId: item.taskId });
    if (error) {
      record([error.message]);
      return { findings: [error.message] };
    }
  }
  record([]);
  saveItem(work, item, { state: 'integrating' });
  const integrated = await integrate(work, item);
  if ('findings' in integrated) {
    await reopen(work, item, true);
    return integrated.isFinal
      ? { end: await release(work, item, 'attention', integrated.findings.join(' ')) }
      : { findings: integrated.findings };
  }
  const by = facts.isDone ? `completed by ${item.agentId}` : `completed by cleo work for ${item.agentId}`;
  const place = [item.branch && `branch ${item.branch}`, item.commit && `commit ${item.commit.slice(0, 12)}`].filter(Boolean).join(', ');
  await addNote(work, item, [by, place, integrated.note].filter(Boolean).join('; '), { removeLabels: [attentionLabel] });
  if (!integrated.isWaiting && item.worktree !== undefined) await retireWorktree(work, item.worktree);
  return { end: { outcome: integrated.isWaiting ? 'waiting' : 'done', ...defined({ note: integrated.note }) } };
}

/** Releases a task whose agent could not be started. No other task of this profile could be either, so that it ends the run. */
async function endWithoutAgent(work: WorkRun, item: WorkItem, { name }: Profile, problem: string): Promise<RoundOutcome> {
  const fatal = new CleoError('E_DEPENDENCY_ERROR', { tool: `profile ${name}`, problem, fix: `cleo config get profiles.${name}` });
  return { end: { ...(await release(work, item, 'stopped', problem)), fatal } };
}

function readPrompt({ ctx }: WorkRun, item: WorkItem, isResumed: boolean): string {
  const { taskId, agentId, promptFile, branch = '', round, findings = [] } = item;
  if (round > 1 || isResumed) return formatRoundPrompt({ taskId, agentId, promptFile, branch, round, findings });
  return ctx.platform.files.readText(promptFile) ?? '';
}

const isDone = async ({ ctx }: WorkRun, { taskId }: WorkItem): Promise<boolean> => (await ctx.runStep(workSteps.done, { taskId })).isDone;

/** Takes a completed task back, so that the same agent continues it. */
async function reopen(work: WorkRun, item: WorkItem, wasDone: boolean): Promise<void> {
  if (!wasDone) return;
  const { error } = await callAsAgent(work, item, 'tasks.reopen', { taskId: item.taskId });
  if (error) throw error;
}

/** Takes back and releases a task whose finished work cannot be used. */
export async function releaseFinished(work: WorkRun, item: WorkItem, note: string): Promise<TaskEnd> {
  const { taskId, agentId } = item;
  const { owner } = await work.ctx.runStep(workSteps.owner, { taskId, agentId });
  if (owner !== undefined) return { outcome: 'lost', note: owner };
  await reopen(work, item, true);
  return release(work, item, 'attention', note);
}

const endedEarly = 'its agent was ended';

/** Releases a task. One that was given up gets a note and a label, so that it is not taken again; its worktree is kept. */
async function release(work: WorkRun, item: WorkItem, outcome: 'stopped' | 'attention', note: string): Promise<TaskEnd> {
  const { taskId, worktree } = item;
  const { error } = await callAsAgent(work, item, 'tasks.stop', { taskId });
  // Somebody else holds the task, or it was deleted: it is theirs to decide about.
  if (error) return { outcome: 'lost', note: error.message };
  if (outcome === 'stopped') return { outcome, note };
  const text = [note, worktree && `Its work is in .cleo/worktrees/${worktree}.`].filter(Boolean).join(/[.!?]$/.test(note) ? ' ' : '. ');
  await addNote(work, item, text, { addLabels: [attentionLabel] });
  return { outcome, note };
}

const addNote = (work: WorkRun, item: WorkItem, note: string, change: { addLabels?: string[]; removeLabels?: string[] } = {}) =>
  callAsAgent(work, item, 'tasks.update', { taskId: item.taskId, notes: `cleo work: ${note}`.slice(0, 4000), ...change });
