import { boolean, description, literal, number, optional, pipe, strictObject, string } from 'valibot';
import { answer, job } from '#core/define.ts';
import { TaskIdSchema } from '#core/model/scalars.ts';
import { defined } from '#lib/defined.ts';
import { readRunRecord } from '#runs/runner/stored-runs.ts';
import { isUnfinished } from '../rules/stored-work.ts';
import { requireItem } from './shared/stored-items.ts';

const maxBytes = 256 * 1024;
const pollMs = 250;

export const workLogs = job({
  name: 'work.logs',
  summary: 'Print the output of the agent of a task',
  params: strictObject({
    taskId: pipe(TaskIdSchema, description('A task that an agent of this machine worked on')),
    follow: optional(pipe(boolean(), description('Print new lines until the agent has ended'))),
    errors: optional(pipe(boolean(), description('Its standard error instead'))),
  }),
  result: strictObject({ log: string(), bytes: number(), isCut: optional(literal(true)), runId: string(), round: number() }),
  errors: ['E_NOT_FOUND'],
  tier: 2,
  needs: 'project',
  usesHost: true,
  progress: async () => (await import('../rules/work-progress.ts')).logProgress,
  cli: { command: 'work logs', args: ['taskId'], raw: 'log' },
  example: { world: ['T001'], call: { taskId: 'T001' }, exit: 4 },
  async run(ctx, { taskId, follow = false, errors = false }) {
    const runner = await ctx.platform.createRunner(ctx.project);
    const read = () => {
      const item = requireItem(runner, taskId);
      // A resumed task has a run of its own, whose logs may not exist yet.
      const phase = readRunRecord(runner, item.runId)?.executions.at(-1)?.phase;
      const names = [`round-${item.round}`, phase].flatMap((name) => (name === undefined ? [] : `${name}/${item.profile}/1`));
      const file = errors ? 'stderr.log' : 'stdout.log';
      const found = names.map((name) => runner.runs.readEnd(item.runId, `${name}/${file}`, maxBytes)).find((log) => log !== undefined);
      return { item, log: found ?? { text: '', bytes: 0, isCut: false } };
    };
    const toResult = ({ item, log }: ReturnType<typeof read>, text: string) => ({
      ...{ log: text, bytes: log.bytes, runId: item.runId, round: item.round },
      ...defined({ isCut: log.isCut || undefined }),
    });
    let last = read();
    if (!follow) return answer(toResult(last, last.log.text), { isUnlogged: true });
    const signal = ctx.signal ?? new AbortController().signal;
    let shown = '';
    for (;;) {
      // The end of a long log is a window that moves.
      const fresh = last.log.text.startsWith(shown) ? last.log.text.slice(shown.length) : last.log.text;
      for (const line of fresh.split('\n').filter(Boolean)) ctx.observe?.('work_output', { line }, {});
      shown = last.log.text;
      if (signal.aborted || !isUnfinished(last.item) || !runner.isAlive(last.item)) break;
      await runner.sleep(pollMs, signal);
      last = read();
    }
    return answer(toResult(last, ctx.observe ? '' : shown), { isUnlogged: true });
  },
});
