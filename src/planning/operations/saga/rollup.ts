import { array, number, optional, picklist, strictObject, string } from 'valibot';
import { answer, query } from '#core/define.ts';
import { PrioritySchema, TaskTypeSchema, toTaskNumber } from '#core/model/scalars.ts';
import { limitParam } from '#core/page.ts';
import { defined } from '#lib/collections.ts';
import { toTruncation } from '#lib/page.ts';
import type { ReadStore } from '#store/port/store.ts';
import { computeProgress, countByStatus, sumCounts } from '../../rules/progress.ts';
import { computeReadiness } from '../../rules/readiness.ts';
import { computePlan, listClaims, listExternalBlockers, RootTask, taskEntries, type WorkPlan } from '../shared/plan.ts';
import { requireSaga, SagaId, sagaAliases } from '../shared/sagas.ts';

const BlockerView = strictObject({
  ...taskEntries,
  type: optional(TaskTypeSchema),
  /** `stated`: a blocked task; `external`: an open task outside the saga; `unfinished`: an epic without open tasks that others wait
   *  for. */
  kind: picklist(['stated', 'external', 'unfinished']),
  text: optional(string()),
  blocks: optional(array(string())),
});

const RollupView = strictObject({
  ...RootTask.entries,
  percent: number(),
  done: number(),
  total: number(),
  members: strictObject({ done: number(), total: number() }),
  byStatus: strictObject({ pending: number(), active: number(), blocked: number(), done: number() }),
  ready: array(strictObject({ ...taskEntries, priority: PrioritySchema, parentId: optional(string()) })),
  blockers: array(BlockerView),
});

export const sagaRollup = query({
  name: 'saga.rollup',
  summary: 'Show progress, ready tasks and blockers of a saga',
  params: strictObject({
    sagaId: SagaId,
    limit: limitParam(50, 'Maximum number of ready tasks'),
  }),
  paramAliases: sagaAliases,
  result: strictObject({ rollup: RollupView }),
  errors: ['E_NOT_FOUND'],
  tier: 1,
  cli: { command: 'saga rollup', args: ['sagaId'], view: async () => (await import('../../view.ts')).sagaView },
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
    const plan = await computePlan(store, sagaId);
    const { ready } = computeReadiness(plan.schedule, (await listClaims(ctx)).live);
    const counts = await store.tasks.countInSubtrees([sagaId]);
    const epics = counts.filter((count) => count.type === 'epic');
    const { percent, done, total } = computeProgress(counts);
    const rollup = {
      id,
      title,
      status,
      type,
      percent,
      done,
      total,
      members: { done: sumCounts(epics.filter((epic) => epic.status === 'done')), total: sumCounts(epics) },
      byStatus: countByStatus(counts),
      ready: ready.slice(0, limit).map((taskId) => {
        const { id, title, status, priority, parentId } = plan.getTask(taskId);
        return { id, title, status, priority, ...defined({ parentId }) };
      }),
      blockers: await listBlockers(store, plan),
    };
    return answer({ rollup }, { truncated: toTruncation(Math.min(limit, ready.length), ready.length) });
  },
});

/** Lists root causes only: not the tasks that wait for a blocked task, but the blocked task itself. */
async function listBlockers(store: ReadStore, plan: WorkPlan) {
  const { work, schedule, getTask } = plan;
  const describeTask = (id: string) => {
    const { title, status, type } = getTask(id);
    return { id, title, status, type };
  };
  const stated = work.tasks
    .filter(({ id, status }) => status === 'blocked' && !work.ancestors.includes(id))
    .sort((a, b) => toTaskNumber(a.id) - toTaskNumber(b.id))
    .map(({ id, blockedBy }) => ({ ...describeTask(id), kind: 'stated' as const, ...defined({ text: blockedBy }) }));
  const unfinished = new Map<string, Set<string>>();
  for (const { id, reasons } of schedule.blocked)
    for (const reason of reasons)
      if (reason.kind === 'unfinished') unfinished.set(reason.on, (unfinished.get(reason.on) ?? new Set()).add(reason.via ?? id));
  return [
    ...stated,
    ...[...unfinished].map(([id, blocks]) => ({ ...describeTask(id), kind: 'unfinished' as const, blocks: [...blocks] })),
    ...(await listExternalBlockers(store, plan)).map(({ blocks, ...task }) => ({ ...task, kind: 'external' as const, blocks })),
  ];
}
