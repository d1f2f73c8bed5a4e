import { boolean, description, literal, number, optional, pipe, strictObject, string } from 'valibot';
import { answer, job } from '#core/define.ts';
import { TaskIdSchema } from '#core/model/scalars.ts';
import { defined } from '#lib/collections.ts';
import { readRunRecord } from '#runs/runner/stored-runs.ts';
import type { WorkItem } from '../model/work-item.ts';
import { takeNewLines } from '../rules/log-window.ts';
import { isUnfinished } from '../rules/stored-work.ts';
import { requireItem } from './shared/stored-items.ts';

const maxBytes = 256 * 1024;
/** What a flood can add between two reads; the lines before it are left out. */
const maxUnreadBytes = 64 * 1024 * 1024;
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
  cli: { command: 'work logs', args: ['taskId'], raw: 'log', streamEvent: 'work_output' },
  example: { world: ['T001'], call: { taskId: 'T001' }, exit: 4 },
  async run(ctx, { taskId, follow = false, errors = false }) {
    const runner = await ctx.platform.createRunner(ctx.project);
    const file = errors ? 'stderr.log' : 'stdout.log';
    const find = () => {
      const item = requireItem(runner, taskId);
      // A resumed task has a run of its own, whose logs may not exist yet.
      const phase = readRunRecord(runner, item.runId)?.executions.at(-1)?.phase;
      const names = [`round-${item.round}`, phase].flatMap((name) => (name === undefined ? [] : `${name}/${item.profile}/1/${file}`));
      const name = names.find((each) => runner.runs.readEnd(item.runId, each, 0) !== undefined);
      return { item, name };
    };
    const readEnd = ({ item, name = '' }: ReturnType<typeof find>, unreadBytes = 0) =>
      runner.runs.readEnd(item.runId, name, Math.min(maxBytes + unreadBytes, maxUnreadBytes)) ?? { text: '', bytes: 0, isCut: false };
    /** Reads everything behind the first `shownBytes` of a log. It can grow between the two reads. */
    const read = (log: ReturnType<typeof find>, shownBytes: number) => readEnd(log, Math.max(0, readEnd(log).bytes - shownBytes));
    const toAnswer = ({ runId, round }: WorkItem, { text, bytes, isCut }: ReturnType<typeof readEnd>) =>
      answer({ log: text, bytes, runId, round, ...defined({ isCut: isCut || undefined }) }, { isUnlogged: true });
    let current = find();
    if (!follow) return toAnswer(current.item, readEnd(current));
    const signal = ctx.signal ?? new AbortController().signal;
    let shownBytes = 0;
    const emit = (isEnded: boolean): void => {
      const fresh = takeNewLines(read(current, shownBytes), shownBytes, isEnded);
      if (fresh.text !== '') ctx.observe?.('work_output', { text: fresh.text }, {});
      shownBytes = fresh.shownBytes;
    };
    for (;;) {
      const isEnded = signal.aborted || !isUnfinished(current.item) || !runner.isAlive(current.item);
      emit(isEnded);
      if (isEnded) break;
      await runner.sleep(pollMs, signal);
      const next = find();
      if (next.item.runId !== current.item.runId || next.name !== current.name) {
        // Each round has a log of its own.
        emit(true);
        shownBytes = 0;
      }
      current = next;
    }
    const last = readEnd(current);
    return toAnswer(current.item, ctx.observe ? { ...last, text: '' } : last);
  },
});
