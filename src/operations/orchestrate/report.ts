import { array, description, number, optional, pipe, strictObject, string } from 'valibot';
import { Priority, Status, TaskId } from '../../model/scalars.ts';
import { Timestamp } from '../../model/task.ts';
import { claimView } from '../../rules/claims.ts';
import { cutOf } from '../../rules/page.ts';
import { progressOf } from '../../rules/progress.ts';
import { readiness, readinessInside } from '../../rules/readiness.ts';
import { openWaits } from '../../rules/waves.ts';
import { answer, query } from '../define.ts';
import { limitParam } from '../page.ts';
import { notFound } from '../tasks/require.ts';
import { Blocked, blockedOf, claimsOf, countsOf, Progress, planOf, RootTask } from './plan.ts';

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
  summary: 'Group the work inside a task by readiness: ready, running, waiting on what, blocked why, done',
  params: strictObject({
    taskId: pipe(TaskId, description('The task, epic or saga')),
    limit: limitParam(50, 'How many of each group at most'),
  }),
  also: { epic: 'taskId', epicId: 'taskId', sagaId: 'taskId' },
  result: strictObject({ report: Report }),
  errors: ['E_NOT_FOUND'],
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
  async run(here, { taskId, limit }) {
    const { store, config } = here;
    const task = await store.tasks.hit(taskId);
    if (!task) throw await notFound(store, taskId);
    // What a task waits for is mostly outside of it, so its state is told from the plan of everything that is open.
    const { work, found, taskOf } = await planOf(store, undefined);
    const { live } = await claimsOf(here);
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
    const shown = Object.values(counts).reduce((all, n) => all + Math.min(n, limit), 0);
    return answer({ report }, { truncated: cutOf(shown, total) });
  },
});
