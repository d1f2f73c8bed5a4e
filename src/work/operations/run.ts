import { answer, type JobContext, job } from '#core/define.ts';
import { CleoError } from '#core/errors/error.ts';
import { isDate } from '#core/model/date-text.ts';
import { wholeNumber } from '#core/model/whole-number.ts';
import { defined, omitEmpty } from '#lib/collections.ts';
import { formatIsoTime } from '#lib/iso-time.ts';
import '../errors.ts';
import {
  array,
  boolean,
  check,
  description,
  maxValue,
  metadata,
  minValue,
  number,
  optional,
  picklist,
  pipe,
  strictObject,
  string,
} from 'valibot';
import { parseDuration } from '../rules/budget.ts';
import { openWork } from './shared/open-work.ts';
import { ProfileParam, RetryParam } from './shared/params.ts';
import { previewWork } from './shared/preview-work.ts';
import { followStopRequests } from './shared/stop-requests.ts';
import { workOff } from './shared/work-loop.ts';
import { saveProcess } from './shared/work-run.ts';
import { workSteps } from './shared/work-steps.ts';
import { removeSpares } from './shared/worktree.ts';

const UsageShape = strictObject({ inputTokens: number(), outputTokens: number(), costUsd: number() });

export const workRun = job({
  name: 'work.run',
  summary: 'Start agents that do the ready tasks',
  params: strictObject({
    scope: optional(
      pipe(
        string(),
        description('T001 with everything below it, also as epic:T001; or global (default: that of the session)'),
        metadata({ value: 'SCOPE' }),
      ),
    ),
    profile: ProfileParam,
    parallel: optional(pipe(wholeNumber({ min: 1, max: 64 }), description('Agents at the same time (default: 1)'))),
    maxTasks: optional(pipe(wholeNumber({ min: 1 }), description('Start at most this many tasks'))),
    until: optional(
      pipe(
        string(),
        check((text) => isDate(text) || !Number.isNaN(Date.parse(text)), 'must be a date or a time such as 2026-01-31T18:00Z'),
        description('Start no task after this time'),
        metadata({ value: 'DATE' }),
      ),
    ),
    for: optional(
      pipe(
        string(),
        check((text) => parseDuration(text) !== undefined, 'must be a duration such as 90s, 30m, 2h or 1d'),
        description('Start no task after this time from now'),
        metadata({ value: '2h' }),
      ),
    ),
    budgetUsd: optional(
      pipe(
        number(),
        minValue(0, 'must be at least 0'),
        maxValue(1_000_000, 'must be at most 1000000'),
        description('Start no task after the agents have cost this much'),
        metadata({ value: 'USD' }),
      ),
    ),
    retry: RetryParam,
    inPlace: optional(pipe(boolean(), description('Work in the project folder, without worktrees, one agent at a time'))),
    daemon: optional(pipe(boolean(), description('Wait for ready tasks until SIGTERM or cleo work stop'))),
    dryRun: optional(pipe(boolean(), description('Only list what would be started'))),
  }),
  result: strictObject({
    work: strictObject({
      id: optional(string()),
      profile: string(),
      /** Why no further task was started. */
      reason: optional(picklist(['nothing-ready', 'tasks', 'time', 'cost', 'failures', 'stopped'])),
      tasks: array(
        strictObject({
          taskId: string(),
          title: optional(string()),
          outcome: picklist(['done', 'waiting', 'stopped', 'attention', 'lost', 'ready']),
          agentId: optional(string()),
          rounds: optional(number()),
          durationMs: optional(number()),
          usage: optional(UsageShape),
          branch: optional(string()),
          commit: optional(string()),
          note: optional(string()),
        }),
      ),
      usage: optional(UsageShape),
      /** Ready tasks that were not started, by the reason. */
      obstacles: optional(array(strictObject({ reason: string(), tasks: array(string()) }))),
      limit: optional(string()),
      argv: optional(array(string())),
    }),
  }),
  errors: [
    'E_CONFIG_ERROR',
    'E_DEPENDENCY_ERROR',
    'E_FILE_ERROR',
    'E_FORBIDDEN',
    'E_GENERAL_ERROR',
    'E_LOCK_TIMEOUT',
    'E_NOT_FOUND',
    'E_PROJECT_UNTRUSTED',
    'E_SCOPE_INVALID',
    'E_SKILL',
    'E_TASK_NOT_IN_SCOPE',
    'E_VALIDATION',
    'E_WORK_FAILED',
  ],
  tier: 2,
  steps: Object.values(workSteps),
  shares: ['runs', 'prunedRuns'],
  usesHost: true,
  progress: async () => (await import('../rules/work-progress.ts')).workProgress,
  cli: { command: ['work', 'work run'], args: ['scope'], view: async () => (await import('../view.ts')).workView },
  example: { world: ['T001 epic', 'T002 in T001: Investigate slow starts'], call: { dryRun: true, inPlace: true } },
  async run(ctx, { scope, dryRun = false, parallel = 1, inPlace = false, daemon = false, retry = false, ...params }) {
    checkParams(ctx, { parallel, inPlace, ...params });
    const { work, root, stop } = await openWork(ctx, {
      scope,
      ...{ profile: params.profile, parallel, isInPlace: inPlace, isDryRun: dryRun },
      budget: { maxTasks: params.maxTasks, maxCostUsd: params.budgetUsd, until: toUntil(ctx, params) },
    });
    const { profile } = work;
    try {
      if (dryRun) {
        const { tasks, obstacles, limit } = await previewWork(work, { root, isRetry: retry });
        const preview = { profile: profile.name, tasks, argv: profile.argv, ...omitEmpty({ obstacles }), ...defined({ limit }) };
        return answer({ work: preview }, { dryRun: true, ...(tasks.length === 0 ? { exit: 100 as const } : {}) });
      }
      const requests = followStopRequests(work);
      let end: Awaited<ReturnType<typeof workOff>>;
      try {
        end = await workOff(work, { root, parallel, isDaemon: daemon, isRetry: retry });
      } finally {
        requests.end();
        saveProcess(work, { endedAt: ctx.platform.now() });
        removeSpares(work);
      }
      const { reason, obstacles, limit } = end;
      const { usage, workId: id } = work.process;
      const summary = { id, profile: profile.name, reason, tasks: work.results, usage, ...omitEmpty({ obstacles }), ...defined({ limit }) };
      if (reason === 'failures') {
        const given = work.results.filter(({ outcome }) => outcome === 'attention').slice(-work.budget.maxFailures);
        throw new CleoError('E_WORK_FAILED', { failures: given.length, tasks: given, fix: 'cleo work status', work: summary });
      }
      for (const { taskId } of work.results) ctx.changes.updated.push(taskId);
      return answer({ work: summary }, work.results.length === 0 && reason === 'nothing-ready' ? { exit: 100 } : {});
    } finally {
      stop();
    }
  },
});

interface BudgetParams {
  until?: string | undefined;
  for?: string | undefined;
}

function checkParams(ctx: JobContext, { parallel, inPlace, ...params }: BudgetParams & { parallel: number; inPlace: boolean }): void {
  if (inPlace && parallel > 1)
    throw new CleoError('E_VALIDATION', {
      field: 'parallel',
      problem: 'must be 1 in place: several agents cannot share one folder',
      fix: ctx.commandWith({ parallel: 1 }),
    });
  if (params.until !== undefined && params.for !== undefined)
    throw new CleoError('E_VALIDATION', {
      field: 'for',
      problem: 'cannot be used together with until',
      fix: ctx.commandWith({ until: undefined }),
    });
}

/** Returns the time after which no task is started. */
function toUntil(ctx: JobContext, params: BudgetParams): string | undefined {
  if (params.for !== undefined) return formatIsoTime(Date.parse(ctx.now) + parseDuration(params.for)!);
  return params.until === undefined ? undefined : formatIsoTime(Date.parse(params.until));
}
