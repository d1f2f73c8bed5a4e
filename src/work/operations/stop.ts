import { array, boolean, description, optional, pipe, strictObject, string } from 'valibot';
import { answer, job } from '#core/define.ts';
import { CleoError } from '#core/errors/error.ts';
import { TaskIdSchema } from '#core/model/scalars.ts';
import type { WorkStop } from '../model/work-item.ts';
import { isUnfinished, workStopFile } from '../rules/stored-work.ts';
import { listItems, listProcesses, requireItem } from './shared/stored-items.ts';

/** An agent that is ended now gets 5 seconds to do so, and its task is released after that. */
const waitMs = 15_000;
const pollMs = 100;

export const workStop = job({
  name: 'work.stop',
  summary: 'Stop cleo work, or its work on one task',
  params: strictObject({
    taskId: optional(pipe(TaskIdSchema, description('Only this task: it is released after its round'))),
    all: optional(pipe(boolean(), description('Every cleo work of this machine: no further task is started'))),
    now: optional(pipe(boolean(), description('End the agents now; their tasks are released and their worktrees kept'))),
  }),
  result: strictObject({
    stopped: strictObject({
      processes: array(string()),
      tasks: array(string()),
      /** Tasks whose agents still run: they may finish, or have not ended yet. */
      running: array(string()),
    }),
  }),
  errors: ['E_INVALID_INPUT', 'E_NOT_FOUND'],
  tier: 2,
  needs: 'project',
  usesHost: true,
  cli: { command: 'work stop', args: ['taskId'] },
  example: { world: ['T001'], call: { all: true }, exit: 102 },
  async run(ctx, { taskId, all = false, now: isNow = false }) {
    const { platform, project, caller, now: at } = ctx;
    if ((taskId === undefined) === !all)
      throw new CleoError('E_INVALID_INPUT', {
        problem: taskId === undefined ? 'name a task, or stop all of them' : 'name a task or stop all of them, not both',
        fix: taskId === undefined ? ctx.commandWith({ all: true }) : ctx.commandWith({ taskId: undefined }),
      });
    const runner = await platform.createRunner(project);
    const request: WorkStop = { by: caller.agent, at, isNow };
    const isActive = (id: string): boolean =>
      listItems(runner).some((item) => item.taskId === id && isUnfinished(item) && item.state !== 'waiting' && runner.isAlive(item));
    const processes = all ? listProcesses(runner).map(({ workId }) => workId) : [];
    const tasks = taskId === undefined ? [] : [requireItem(runner, taskId).taskId].filter(isActive);
    for (const name of [...processes, ...tasks]) runner.work.write(name, workStopFile, `${JSON.stringify(request)}\n`);
    const affected = all
      ? listItems(runner)
          .filter((item) => processes.includes(item.workId))
          .map((item) => item.taskId)
      : tasks;
    const never = new AbortController().signal;
    for (const until = runner.monotonicMs() + waitMs; isNow && runner.monotonicMs() < until && affected.some(isActive); )
      await runner.sleep(pollMs, never);
    const running = affected.filter(isActive);
    return answer(
      { stopped: { processes, tasks, running } },
      { isUnlogged: true, ...(processes.length + tasks.length === 0 ? { exit: 102 as const } : {}) },
    );
  },
});
