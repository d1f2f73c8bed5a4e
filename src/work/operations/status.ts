import { join } from 'node:path';
import { array, number, optional, strictObject, string } from 'valibot';
import { answer, query } from '#core/define.ts';
import { defined, omitEmpty } from '#lib/collections.ts';
import { addUsage } from '../rules/agent-stream.ts';
import { isUnfinished } from '../rules/stored-work.ts';
import { listItems, listProcesses } from './shared/stored-items.ts';
import { workSteps } from './shared/work-steps.ts';

const UsageShape = strictObject({ inputTokens: number(), outputTokens: number(), costUsd: number() });
const maxEnded = 10;

export const workStatus = query({
  name: 'work.status',
  summary: 'Show what the agents of cleo work do',
  params: strictObject({}),
  result: strictObject({
    work: strictObject({
      /** The `cleo work` that run on this machine. */
      processes: array(
        strictObject({
          id: string(),
          pid: number(),
          profile: string(),
          parallel: number(),
          scope: optional(string()),
          startedAt: string(),
          ending: optional(string()),
          tasks: number(),
          failures: number(),
          usage: UsageShape,
        }),
      ),
      /** Tasks of this machine: those in work, those that wait, and the last ones that ended. */
      tasks: array(
        strictObject({
          taskId: string(),
          title: string(),
          /** `crashed`: its `cleo work` was killed; the next one continues it. */
          state: string(),
          agentId: string(),
          profile: string(),
          round: number(),
          startedAt: string(),
          elapsedMs: number(),
          usage: UsageShape,
          lastLine: optional(string()),
          branch: optional(string()),
          worktree: optional(string()),
          note: optional(string()),
          runId: string(),
        }),
      ),
      /** Tasks that agents on other machines work on. */
      elsewhere: optional(array(strictObject({ taskId: string(), profile: string() }))),
    }),
  }),
  errors: [],
  tier: 2,
  steps: [workSteps.running],
  cli: { command: 'work status', view: async () => (await import('../view.ts')).workView },
  example: { world: ['T001'], call: {}, exit: 100 },
  async run(ctx) {
    const { platform, project, now } = ctx;
    const runner = await platform.createRunner(project);
    const items = listItems(runner);
    const open = items.filter(isUnfinished);
    const ended = items.filter((item) => !isUnfinished(item)).slice(0, maxEnded);
    const worktrees = join(project.folder, 'worktrees');
    const tasks = [...open, ...ended].map((item) => ({
      ...{ taskId: item.taskId, title: item.title, agentId: item.agentId, profile: item.profile, round: item.round, runId: item.runId },
      state: isUnfinished(item) && item.state !== 'waiting' && !runner.isAlive(item) ? 'crashed' : item.state,
      ...{
        startedAt: item.startedAt,
        elapsedMs: Math.max(0, Date.parse(item.endedAt ?? now) - Date.parse(item.startedAt)),
        usage: item.usage,
      },
      ...defined({
        lastLine: item.lastLine || undefined,
        branch: item.branch,
        worktree:
          item.worktree && platform.files.exists(join(worktrees, item.worktree, '.git')) ? `.cleo/worktrees/${item.worktree}` : undefined,
        note: item.note,
      }),
    }));
    const processes = listProcesses(runner).map(({ workId: id, pid, profile, parallel, scope, startedAt, ending, ...counts }) => ({
      ...{ id, pid, profile, parallel, startedAt, tasks: counts.tasks, failures: counts.failures },
      // Those of a task are added to the process when it has ended.
      usage: open.filter(({ workId, endedAt }) => workId === id && !endedAt).reduce((sum, { usage }) => addUsage(sum, usage), counts.usage),
      ...defined({ scope, ending }),
    }));
    const local = new Set(open.map(({ taskId }) => taskId));
    const elsewhere = (await ctx.runStep(workSteps.running, {}))
      .filter(({ id }) => !local.has(id))
      .map(({ id: taskId, profile }) => ({ taskId, profile }));
    const isEmpty = processes.length + tasks.length + elsewhere.length === 0;
    return answer({ work: { processes, tasks, ...omitEmpty({ elsewhere }) } }, isEmpty ? { exit: 100 } : {});
  },
});
