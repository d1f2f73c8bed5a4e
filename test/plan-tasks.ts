import type { PlanRecord, PlanState, PlanValue } from '../src/transfer/model/plan.ts';
import { diffRecord } from '../src/transfer/rules/plan/diff.ts';

export const planNoon = Date.UTC(2026, 10, 16, 12);

/** A task as a store has it. */
export function createPlanState(
  uid: string,
  id: string,
  more: Partial<Pick<PlanState, 'fields' | 'sets'>> = {},
  createdMs = planNoon,
): PlanState {
  const at = new Date(createdMs).toISOString();
  const fields: { [field: string]: PlanValue } = {
    title: `Task ${uid}`,
    priority: 'medium',
    place: { type: 'task' },
    state: { status: 'pending' },
    creation: { at, by: 'agent' },
  };
  return { kind: 'task', uid, id, fields: { ...fields, ...more.fields }, sets: more.sets ?? {}, updatedAt: at };
}

export function createPlanTask(
  replica: string,
  uid: string,
  id: string,
  more: Partial<Pick<PlanState, 'fields' | 'sets'>> = {},
  ms = planNoon,
): PlanRecord {
  return diffRecord({ base: undefined, before: undefined, now: createPlanState(uid, id, more, ms), project: 'p', replica, nowMs: ms });
}

/** Changes fields and sets of a record, as a store that has it would; undefined removes a field. */
export function editPlanTask(
  base: PlanRecord,
  before: PlanState,
  replica: string,
  ms: number,
  fields: { [field: string]: PlanValue | undefined },
  sets: PlanState['sets'] = {},
): PlanRecord {
  const merged = Object.entries({ ...before.fields, ...fields }).filter(([, value]) => value !== undefined) as [string, PlanValue][];
  const now = { ...before, fields: Object.fromEntries(merged), sets: { ...before.sets, ...sets } };
  return diffRecord({ base, before, now, project: 'p', replica, nowMs: ms });
}
