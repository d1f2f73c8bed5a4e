import { array, number, optional, picklist, strictObject, string } from 'valibot';
import { answer, query } from '#core/define.ts';
import { Priority, Status, seqOf, TaskType } from '#core/model/scalars.ts';
import { limitParam } from '#core/page.ts';
import { cutOf } from '#lib/page.ts';
import type { ReadStore } from '#store/port.ts';
import { byStatus, progressOf } from '../../rules/progress.ts';
import { readiness } from '../../rules/readiness.ts';
import { claimsOf, externalOf, type Plan, planOf } from '../shared/plan.ts';
import { requireSaga, SagaId, sagaNames } from '../shared/sagas.ts';

const Blocker = strictObject({
  id: string(),
  title: string(),
  status: Status,
  type: optional(TaskType),
  /** `stated`: it is blocked, and the text says why; `external`: it is outside the saga and not done; `unfinished`: an epic with nothing
   *  left inside, which others wait for. */
  kind: picklist(['stated', 'external', 'unfinished']),
  text: optional(string()),
  blocks: optional(array(string())),
});

const Rollup = strictObject({
  id: string(),
  title: string(),
  status: Status,
  type: TaskType,
  percent: number(),
  done: number(),
  total: number(),
  members: strictObject({ done: number(), total: number() }),
  byStatus: strictObject({ pending: number(), active: number(), blocked: number(), done: number() }),
  ready: array(strictObject({ id: string(), title: string(), status: Status, priority: Priority, parentId: optional(string()) })),
  blockers: array(Blocker),
});

export const sagaRollup = query({
  name: 'saga.rollup',
  summary: 'Sum up a saga over all its epics: how far it is, what is ready and what stands in the way',
  params: strictObject({
    sagaId: SagaId,
    limit: limitParam(50, 'How many ready tasks at most'),
  }),
  paramAliases: sagaNames,
  result: strictObject({ rollup: Rollup }),
  errors: ['E_NOT_FOUND'],
  tier: 1,
  cli: { command: 'saga rollup', args: ['sagaId'] },
  example: {
    world: [
      'T001 saga',
      'T002 in T001',
      'T003 in T002 done',
      'T004 in T002 blocked',
      'T005 in T001 done',
      'T006 in T002 high',
      'T007 in T002 depends T008',
      'T008',
    ],
    call: { sagaId: 'T001' },
  },
  async run(ctx, { sagaId, limit }) {
    const { store } = ctx;
    const { id, title, status, type } = await requireSaga(store, sagaId);
    const plan = await planOf(store, sagaId);
    const { ready } = readiness(plan.found, (await claimsOf(ctx)).live);
    const counts = await store.tasks.countsInside([sagaId]);
    const epics = counts.filter((one) => one.type === 'epic');
    const { percent, done, total } = progressOf(counts);
    const rollup = {
      ...{ id, title, status, type, percent, done, total },
      members: { done: sum(epics.filter((one) => one.status === 'done')), total: sum(epics) },
      byStatus: byStatus(counts),
      ready: ready.slice(0, limit).map((taskId) => {
        const task = plan.taskOf(taskId);
        return {
          ...{ id: task.id, title: task.title, status: task.status, priority: task.priority },
          ...(task.parentId ? { parentId: task.parentId } : {}),
        };
      }),
      blockers: await blockersOf(store, plan),
    };
    return answer({ rollup }, { truncated: cutOf(Math.min(limit, ready.length), ready.length) });
  },
});

const sum = (counts: { n: number }[]): number => counts.reduce((all, { n }) => all + n, 0);

/** Where the way is barred: not what waits for something that waits for something, but the first of each. */
async function blockersOf(store: ReadStore, plan: Plan) {
  const { work, found, taskOf } = plan;
  const named = (id: string) => ({ id, title: taskOf(id).title, status: taskOf(id).status, type: taskOf(id).type });
  const stated = work.tasks
    .filter(({ id, status }) => status === 'blocked' && !work.above.includes(id))
    .sort((a, b) => seqOf(a.id) - seqOf(b.id))
    .map(({ id, blockedBy }) => ({ ...named(id), kind: 'stated' as const, ...(blockedBy === undefined ? {} : { text: blockedBy }) }));
  const unfinished = new Map<string, Set<string>>();
  for (const { id, reasons } of found.blocked)
    for (const reason of reasons)
      if (reason.kind === 'unfinished') unfinished.set(reason.on, (unfinished.get(reason.on) ?? new Set()).add(reason.via ?? id));
  return [
    ...stated,
    ...[...unfinished].map(([id, blocks]) => ({ ...named(id), kind: 'unfinished' as const, blocks: [...blocks] })),
    ...(await externalOf(store, plan)).map(({ blocks, ...one }) => ({ ...one, kind: 'external' as const, blocks })),
  ];
}
