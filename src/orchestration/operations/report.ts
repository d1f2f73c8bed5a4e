import { array, description, number, optional, pipe, strictObject, string } from 'valibot';
import { type AnswerOptions, answer, type QueryContext, query } from '#core/define.ts';
import { CleoError } from '#core/errors/error.ts';
import { Omitted } from '#core/model/omitted.ts';
import { Priority, Status, TaskId } from '#core/model/scalars.ts';
import { limitParam, tokens } from '#core/page.ts';
import { filled, type Omission } from '#lib/budget.ts';
import { cutOf } from '#lib/page.ts';
import { estimateTokens } from '#lib/tokens.ts';
import { Blocked, blockedOf, claimsOf, countsOf, Progress, planOf, RootTask } from '#planning/operations/shared/plan.ts';
import { progressOf } from '#planning/rules/progress.ts';
import { readiness, readinessInside } from '#planning/rules/readiness.ts';
import { openWaits } from '#planning/rules/waves.ts';
import { Timestamp } from '#tasks/model/task.ts';
import { notFound } from '#tasks/operations/shared/require.ts';
import { claimView } from '#tasks/rules/claims.ts';
import { Pack } from '../model/pack.ts';
import type { PackAnswer } from '../rules/context-pack.ts';
import { contextPack, findPack } from './shared/pack.ts';

const Named = strictObject({ id: string(), title: string(), status: Status });
const Report = strictObject({
  ...RootTask.entries,
  progress: Progress,
  counts: strictObject({ ready: number(), running: number(), waiting: number(), blocked: number(), done: number() }),
  ready: array(strictObject({ ...Named.entries, priority: Priority })),
  running: array(strictObject({ ...Named.entries, agent: string(), session: optional(string()), since: Timestamp, until: Timestamp })),
  waiting: array(strictObject({ ...Named.entries, on: array(strictObject({ ...Named.entries, via: optional(string()) })) })),
  blocked: array(Blocked),
  done: array(strictObject({ id: string(), title: string() })),
});

export const orchestrateReport = query({
  name: 'orchestrate.report',
  summary: 'Group the work inside a task by readiness, with what it waits on and its context pack',
  params: strictObject({
    taskId: pipe(TaskId, description('The task, epic or saga')),
    limit: limitParam(50, 'How many of each group at most'),
    budget: optional(tokens()),
  }),
  paramAliases: { epic: 'taskId', epicId: 'taskId', sagaId: 'taskId' },
  result: strictObject({ report: Report, pack: Pack, omitted: Omitted }),
  errors: ['E_NOT_FOUND', 'E_VALIDATION', 'E_FILE_ERROR'],
  tier: 2,
  cli: { command: ['orchestrate report', 'orchestrator report'], args: ['taskId'] },
  example: {
    world: [
      'T001 epic',
      'T002 in T001 active by ada',
      'T003 in T001 depends T002',
      'T004 in T001 blocked',
      'T005 in T001 done',
      'T006 in T001',
    ],
    call: { taskId: 'T001' },
  },
  async run(ctx, { taskId, limit, budget }) {
    const { store, config } = ctx;
    const task = await store.tasks.hit(taskId);
    if (!task) throw await notFound(store, taskId);
    // What a task waits for is mostly outside of it, so its state is told from the plan of everything that is open.
    const { work, found, taskOf } = await planOf(store, undefined);
    const { live } = await claimsOf(ctx);
    const { ready, running, waiting, blocked } = readinessInside(readiness(found, live), work, taskId);
    const waitsOf = openWaits(work);
    const progress = progressOf(await countsOf(store, taskId));
    const counts = {
      ...{ ready: ready.length, running: running.length, waiting: waiting.length, blocked: blocked.length },
      done: progress.done,
    };
    const named = (id: string) => ({ id, title: taskOf(id).title, status: taskOf(id).status });
    const few = <T>(all: T[]): T[] => all.slice(0, limit);
    const report = {
      ...{ id: task.id, title: task.title, status: task.status, type: task.type },
      progress,
      counts,
      ready: few(ready).map((id) => ({ ...named(id), priority: taskOf(id).priority })),
      running: few(running).map((claim) => ({ ...named(claim.taskId), ...claimView(claim, config['claims.ttlMinutes']) })),
      waiting: few(waiting).map((id) => ({
        ...named(id),
        on: waitsOf(id).map(({ id: other, via }) => ({ ...named(other), ...(via ? { via } : {}) })),
      })),
      blocked: blockedOf({ found: { ...found, blocked: few(blocked) }, taskOf }),
      done: (await store.tasks.doneInside(taskId, limit)).map(({ id, title }) => ({ id, title })),
    };
    const total = Object.values(counts).reduce((all, n) => all + n, 0);
    const shownOf = (told: Groups): number => groups.reduce((all, name) => all + told[name].length, 0);
    const whole = (told: typeof report, { pack, omitted }: PackAnswer) => ({
      result: { report: told, pack, ...(omitted.length > 0 ? { omitted } : {}) },
      more: { truncated: cutOf(shownOf(told), total) },
    });
    if (budget === undefined) {
      const { result, more } = whole(report, await contextPack(ctx, taskId, packTokens));
      return answer(result, more);
    }
    const { result, more } = await withinTokens(ctx, { taskId, budget, report, whole });
    return answer(result, more);
  },
});

const groups = ['ready', 'running', 'waiting', 'blocked', 'done'] as const;
type Groups = Record<(typeof groups)[number], unknown[]>;
/** What the pack may have where nobody says what the whole may. */
const packTokens = 1500;

/** The pack in half of the budget, or in what it needs at least; the groups in the rest. */
async function withinTokens<R extends Groups & { counts: Record<string, number> }, W extends { result: object; more: AnswerOptions }>(
  ctx: QueryContext,
  { taskId, budget, report, whole }: { taskId: TaskId; budget: number; report: R; whole: (told: R, pack: PackAnswer) => W },
): Promise<W> {
  const printed = ({ result, more }: W): string => ctx.toOutput(result as Record<string, unknown>, more);
  const told = (kept: Record<string, number>): R => ({
    ...report,
    ...Object.fromEntries(groups.map((name) => [name, report[name].slice(0, kept[name] ?? 0)])),
  });
  const rest = (count: number): Omission => ({ section: 'groups', count, expand: `cleo orchestrate report ${taskId}` });
  const alone = ({ pack, omitted }: PackAnswer): string => printed(whole(told({}), { pack, omitted: [rest(99_999), ...omitted] }));
  const half = await findPack(ctx, taskId, Math.floor(budget / 2), alone);
  const packed = 'pack' in half ? half : await contextPack(ctx, taskId, Math.min(budget, half.least), alone);
  const sections = groups.map((name) => ({
    name,
    items: report[name],
    more: Math.max(0, (report.counts[name] ?? 0) - report[name].length),
    expand: name === 'ready' ? `cleo orchestrate ready ${taskId}` : `cleo orchestrate report ${taskId} --limit ${report.counts[name]}`,
  }));
  const fitted = filled(sections, budget, {
    build: (kept, omitted) => whole(told(kept), { pack: packed.pack, omitted: [...omitted, ...packed.omitted] }),
    tokensOf: (answer) => estimateTokens(printed(answer)),
    cost: (value) => estimateTokens(JSON.stringify(value)) + 1,
    rest,
  });
  if ('answer' in fitted) return fitted.answer;
  const { least } = fitted;
  throw new CleoError('E_VALIDATION', {
    field: 'budget',
    problem: `must be at least ${least} for ${taskId}`,
    fix: ctx.commandWith({ budget: least }),
  });
}
