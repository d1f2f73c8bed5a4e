import { CleoError } from '#core/errors/error.ts';
import type { TaskId } from '#core/model/scalars.ts';
import { defined } from '#lib/collections.ts';
import type { WorkItem } from '../../model/work-item.ts';
import { addUsage, noUsage } from '../../rules/agent-stream.ts';
import { type BudgetEnd, findBudgetEnd } from '../../rules/budget.ts';
import { createSlotAgent } from '../../rules/names.ts';
import { isUnfinished, itemFile, parseWorkItem } from '../../rules/stored-work.ts';
import { integrateWaiting, listWaiting } from './integrate-waiting.ts';
import { keepClaims } from './keep-claims.ts';
import { adoptItems } from './resume-items.ts';
import { type ActiveTask, report, saveItem, saveProcess, type WorkRun } from './work-run.ts';
import { workTask } from './work-task.ts';
import { listWorktreeNames } from './worktree.ts';

interface LoopParams {
  root: TaskId | undefined;
  parallel: number;
  isDaemon: boolean;
  isRetry: boolean;
}

interface LoopEnd {
  /** Why no further task was started: a budget, a stop, or because nothing is ready. */
  reason: BudgetEnd | 'stopped' | 'nothing-ready';
  obstacles: { reason: string; tasks: string[] }[];
  limit?: string;
  tasksStarted: number;
}

interface LoopState extends LoopEnd {
  /** When other machines got the runs that had ended, and when they get the next ones. */
  sharing: { atMs: number; timer?: NodeJS.Timeout; call?: Promise<void> };
  /** The next try to merge or push finished work that waits, and the one that is being made. */
  waiting: { timer?: NodeJS.Timeout; retry?: Promise<boolean> };
  failuresInRow: number;
  isEnded: boolean;
  fatal?: CleoError;
  /** Aborted when no further task is started: the run is stopped, or one of its limits is reached. */
  ending: AbortController;
  /** Claims one after another, so that budgets and limits see each claim before the next. */
  queue: Promise<unknown>;
  /** Called when a task of this process has ended, or its work was merged. */
  whenEnded: Set<() => void>;
}

/** Time after which what can change without an entry in the log is tried again: a limit over all machines, as a machine can disappear, and
 *  the checkout that finished work waits for. */
const retrySeconds = 30;
/** The longest wait of one call. */
const maxWaitSeconds = 86_400;

/** Comparing the runs of a large project with the store takes as long as a small task. */
const shareEveryMs = 60_000;

const temporaryErrors = ['E_STORE_UNAVAILABLE', 'E_LOCK_TIMEOUT'];
const reconnectMs = 5000;

/** Works off the tasks of a scope until nothing is ready, a budget is used up or a stop is requested. */
export async function workOff(work: WorkRun, params: LoopParams): Promise<LoopEnd> {
  const state: LoopState = {
    reason: 'nothing-ready',
    obstacles: [],
    tasksStarted: 0,
    failuresInRow: 0,
    isEnded: false,
    ending: new AbortController(),
    waiting: {},
    sharing: { atMs: work.ctx.platform.monotonicMs() },
    queue: Promise.resolve(),
    whenEnded: new Set(),
  };
  const drain = (): void => state.ending.abort();
  work.drain.signal.addEventListener('abort', drain, { once: true });
  if (work.drain.signal.aborted) drain();
  const adopted = await adoptItems(work, params.root);
  const left = adopted.filter(({ state: each }) => each !== 'waiting');
  const lease = keepClaims(work, () => [...left, ...[...work.active.values()].map(({ item }) => item)]);
  try {
    await retryWaiting(work, state);
    scheduleRetry(work, state);
    // Drained waiters and tasks end by themselves.
    await Promise.all(
      Array.from({ length: params.parallel }, (_, i) =>
        runSlot(work, params, state, i + 1, left).catch((error) => endWithError(work, state, error)),
      ),
    );
  } finally {
    lease.stop();
  }
  clearTimeout(state.waiting.timer);
  await state.waiting.retry;
  clearTimeout(state.sharing.timer);
  await state.sharing.call;
  if (state.fatal) throw state.fatal;
  return state;
}

async function runSlot(work: WorkRun, params: LoopParams, state: LoopState, slot: number, left: WorkItem[]): Promise<void> {
  for (;;) {
    if (isEnding(work, state)) return;
    const resumed = left.shift();
    if (resumed) {
      state.tasksStarted += 1;
      report(work, 'work_claimed', resumed.taskId, { title: resumed.title, agent: resumed.agentId, isResumed: true });
      await doTask(work, state, resumed, true);
      continue;
    }
    const claimed = await enqueue(state, () => claimNext(work, params, state, slot));
    if (claimed === 'ending' || claimed === 'again') continue;
    if (claimed) await doTask(work, state, claimed, false);
    else if (!params.isDaemon && state.limit === undefined) {
      if (work.active.size > 0) await waitForEnd(state);
      // Tasks that depend on work that is merged now are ready.
      else if (!(await retryWaiting(work, state))) return;
    }
  }
}

/** Tries again to merge or push finished work that had to wait, once at a time; true if any of it no longer waits. */
function retryWaiting(work: WorkRun, state: LoopState): Promise<boolean> {
  const { waiting } = state;
  waiting.retry ??= integrateWaiting(work)
    .then((isChanged) => {
      if (isChanged) claimAgain(state);
      return isChanged;
    })
    .finally(() => delete waiting.retry);
  return waiting.retry;
}

/** Calls `retryWaiting` every 30 seconds until no finished work waits. */
function scheduleRetry(work: WorkRun, state: LoopState): void {
  const { waiting } = state;
  if (waiting.timer || listWaiting(work).length === 0) return;
  const retry = async (): Promise<void> => {
    try {
      await retryWaiting(work, state);
    } catch (error) {
      if (!(error instanceof CleoError && temporaryErrors.includes(error.row))) endWithError(work, state, error);
    }
    delete waiting.timer;
    if (!state.ending.signal.aborted) scheduleRetry(work, state);
  };
  waiting.timer = setTimeout(() => void retry(), retrySeconds * 1000);
}

/** Ends the waits for a task of this process: more can be ready now. */
function claimAgain({ whenEnded }: LoopState): void {
  for (const end of [...whenEnded]) end();
}

const enqueue = <T>(state: LoopState, change: () => Promise<T>): Promise<T> => {
  const result = state.queue.then(change);
  state.queue = result.catch(() => {});
  return result;
};

/** Waits until a task of this process has ended, or no further one is to be started. */
const waitForEnd = ({ ending, whenEnded }: LoopState): Promise<void> =>
  new Promise((resolve) => {
    const end = (): void => {
      whenEnded.delete(end);
      ending.signal.removeEventListener('abort', end);
      resolve();
    };
    whenEnded.add(end);
    ending.signal.addEventListener('abort', end, { once: true });
  });

/** True if no further task is to be started. The first reason stays: a limit that one slot has reached ends the waits of the others, and a
 *  task that succeeds after that does not start the run again. */
function isEnding(work: WorkRun, state: LoopState): boolean {
  if (!state.isEnded) {
    const reason = findEnding(work, state);
    if (reason === undefined) return false;
    Object.assign(state, { reason, isEnded: true });
    state.ending.abort();
  }
  return true;
}

function findEnding(work: WorkRun, state: LoopState): LoopEnd['reason'] | undefined {
  if (work.drain.signal.aborted || state.fatal) return 'stopped';
  const { now } = work.ctx.platform;
  const running = [...work.active.values()].reduce((sum, { item }) => addUsage(sum, item.usage), noUsage);
  return findBudgetEnd(work.budget, {
    now: now(),
    tasksStarted: state.tasksStarted,
    costUsd: addUsage(work.process.usage, running).costUsd,
    failuresInRow: state.failuresInRow,
  });
}

interface ClaimedTask {
  taskId: string;
  title: string;
  agentId: string;
  worktree?: string;
  branch?: string;
  promptFile: string;
  outputDir: string;
}

/** Claims the next task for a slot. `ending`: a limit of this run was reached while it waited for its turn. `again`: more can be ready. */
async function claimNext(
  work: WorkRun,
  { root, isRetry, isDaemon }: LoopParams,
  state: LoopState,
  slot: number,
): Promise<WorkItem | 'ending' | 'again' | undefined> {
  if (isEnding(work, state)) return 'ending';
  const { ctx, runner, profile, process, base, isInPlace, processKey } = work;
  const again = new AbortController();
  const wake = (): void => again.abort();
  // What is merged is part of the call. A server may have claimed a task for a request that is ended, so that its answer would be lost.
  if (!ctx.isClient) state.whenEnded.add(wake);
  const signal = AbortSignal.any([state.ending.signal, again.signal]);
  const { result, error } = await ctx
    .call(
      'work.claim',
      {
        ...defined({ epic: root }),
        ...{ profile: profile.name, inPlace: isInPlace, process: processKey, retry: isRetry, except: [...work.except] },
        ...defined({ timeout: getWaitSeconds(work, state, isDaemon) }),
        ...{ unmerged: listUnmerged(work), worktrees: isInPlace ? [] : await listWorktreeNames(work) },
      },
      { agent: createSlotAgent(profile.name, process.workId, slot), signal },
    )
    .finally(() => state.whenEnded.delete(wake));
  if (error) {
    // The wait was ended.
    if (state.ending.signal.aborted) return 'ending';
    if (again.signal.aborted) return 'again';
    if (!isDaemon || !temporaryErrors.includes(error.row)) throw error;
    // The database restarts or is out of reach.
    await runner.sleep(reconnectMs, signal);
    return undefined;
  }
  const { claimed, obstacles = [], limit } = result as { claimed?: ClaimedTask; obstacles?: LoopEnd['obstacles']; limit?: string };
  state.obstacles = obstacles;
  if (limit === undefined) delete state.limit;
  else state.limit = limit;
  if (!claimed) return undefined;
  state.tasksStarted += 1;
  const before = parseWorkItem(runner.work.read(claimed.taskId, itemFile));
  const isSameBranch = before?.branch !== undefined && before.branch === claimed.branch && (await hasBranch(work, before.branch));
  const { taskId, title, agentId, worktree, branch, promptFile, outputDir } = claimed;
  const item: WorkItem = {
    ...runner.identifyProcess(),
    ...{ taskId, title, agentId, profile: profile.name, runId: runner.createRunId(), workId: process.workId },
    ...defined({ worktree, branch, session: ctx.caller.session }),
    ...{ base, start: isSameBranch ? before.start : '', promptFile, outputDir, round: 1, state: 'working' },
    ...{ startedAt: ctx.platform.now(), usage: noUsage, lastLine: '' },
  };
  saveItem(work, item);
  report(work, 'work_claimed', taskId, { title, agent: agentId, branch });
  return item;
}

/** Returns how long a claim may wait; undefined if it does not wait. After the time limit of the run nothing is started. */
function getWaitSeconds(work: WorkRun, { limit }: LoopState, isDaemon: boolean): number | undefined {
  const { ctx, budget } = work;
  if (!isDaemon && limit === undefined) return undefined;
  const leftMs = budget.until === undefined ? Number.POSITIVE_INFINITY : Date.parse(budget.until) - Date.parse(ctx.platform.now());
  // Nothing in the log tells that another process of this machine has merged its work.
  const longest = isDaemon && listUnmerged(work).length === 0 ? maxWaitSeconds : retrySeconds;
  return Math.min(longest, Math.max(1, Math.ceil(leftMs / 1000)));
}

const hasBranch = ({ ctx, git }: WorkRun, branch: string): Promise<boolean> => git.hasRef(ctx.project.root, `refs/heads/${branch}`);

/** Lists the tasks of this machine that are done or nearly so, and whose work has to be merged before others build on it. */
function listUnmerged({ runner, config }: WorkRun): TaskId[] {
  if (config['work.integrate'] !== 'merge') return [];
  return runner.work
    .list()
    .flatMap((name) => parseWorkItem(runner.work.read(name, itemFile)) ?? [])
    .filter((item) => item.branch !== undefined && isUnfinished(item))
    .map(({ taskId }) => taskId);
}

async function doTask(work: WorkRun, state: LoopState, item: WorkItem, isResumed: boolean): Promise<void> {
  const { platform } = work.ctx;
  const active: ActiveTask = { item, kill: new AbortController(), isStopping: false, outside: new Set() };
  const startedMs = platform.monotonicMs();
  const abort = (): void => active.kill.abort();
  work.kill.signal.addEventListener('abort', abort, { once: true });
  if (work.kill.signal.aborted) abort();
  work.active.set(item.taskId, active);
  try {
    const { outcome, note, fatal } = await workTask(work, active, isResumed);
    if (fatal) state.fatal = fatal;
    if (outcome === 'attention') state.failuresInRow += 1;
    if (outcome === 'done' || outcome === 'waiting') state.failuresInRow = 0;
    if (outcome !== 'done') work.except.add(item.taskId);
    const durationMs = Math.round(platform.monotonicMs() - startedMs);
    const { taskId, title, agentId, round: rounds, usage, branch, commit } = item;
    work.results.push({ taskId, title, outcome, agentId, rounds, durationMs, usage, ...defined({ branch, commit, note }) });
    const failures = work.process.failures + (outcome === 'attention' ? 1 : 0);
    saveProcess(work, { tasks: work.process.tasks + 1, failures, usage: addUsage(work.process.usage, usage) });
  } catch (error) {
    // An error of this program: the others are to finish, and the run ends with it.
    state.fatal ??=
      error instanceof CleoError
        ? error
        : new CleoError('E_GENERAL_ERROR', { problem: String((error as Error)?.message ?? error) }, { cause: error });
    work.drain.abort();
  } finally {
    work.active.delete(item.taskId);
    work.kill.signal.removeEventListener('abort', abort);
    claimAgain(state);
  }
  scheduleRetry(work, state);
  scheduleSharing(work, state);
}

/** Stores the runs that have ended, at most once a minute, where machines share a store. Every command that reads runs does that first. A
 *  run of `cleo work` can take days; what is left is stored when it ends. */
function scheduleSharing({ ctx }: WorkRun, state: LoopState): void {
  const { sharing } = state;
  if (sharing.timer) return;
  const { monotonicMs } = ctx.platform;
  const share = async (): Promise<void> => {
    sharing.atMs = monotonicMs();
    delete sharing.timer;
    await ctx.call('trace.list', { limit: 1 });
  };
  sharing.timer = setTimeout(
    () => {
      sharing.call = share().catch(() => {});
    },
    Math.max(0, sharing.atMs + shareEveryMs - monotonicMs()),
  );
}

/** Ends the run with an error after the other tasks have ended. */
function endWithError({ drain }: WorkRun, state: LoopState, error: unknown): void {
  const problem = String((error as Error)?.message ?? error);
  state.fatal ??= error instanceof CleoError ? error : new CleoError('E_GENERAL_ERROR', { problem }, { cause: error });
  drain.abort();
}
