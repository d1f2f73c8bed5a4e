import type { RelationType, Status, TaskId } from '#core/model/scalars.ts';
import { type Scene, shown, takesState } from './scene.ts';
import type { Standings } from './standings.ts';

export interface Tie {
  from: TaskId;
  to: TaskId;
  type: RelationType;
  reason: string;
}

export function relationsOf({ source, nodes, find, lose }: Scene, { of, flattened }: Standings): Tie[] {
  const all = new Map<string, Tie>();
  const relate = (from: TaskId, to: TaskId, reason: string): void => {
    const areKin = of.get(from)?.parentId === to || of.get(to)?.parentId === from;
    if (from !== to && !areKin && !all.has(`${to} ${from}`)) all.set(`${from} ${to}`, { from, to, type: 'related', reason });
  };
  for (const { id, inside } of flattened) relate(id, inside, `inside it in ${source}`);
  for (const node of nodes)
    for (const name of node.changed.has('related') ? node.task.related : []) {
      const to = find(name);
      if (to) relate(node.id, to, `related in ${source}`);
      else lose(node, 'related', `${shown(name)} is not in the file`);
    }
  return [...all.values()];
}

/** Those around something new that hold more open tasks than can be added by hand. */
export function crowded({ ctx, nodes, byId }: Scene, { of }: Standings): TaskId[] {
  if (ctx.maxSiblings === 0) return [];
  const open = new Map<TaskId, number>();
  const count = (status: Status, parentId: TaskId | undefined): unknown =>
    parentId && status !== 'done' ? open.set(parentId, (open.get(parentId) ?? 0) + 1) : undefined;
  for (const [id, { status, parentId }] of ctx.tasks) if (!of.has(id)) count(status, parentId);
  for (const [id, { parentId, isReopened }] of of) {
    const node = byId.get(id);
    const status = node && takesState(node, ctx) ? node.task.status : (ctx.tasks.get(id)?.status ?? 'pending');
    count(isReopened ? 'pending' : status, parentId);
  }
  const isLimited = (id: TaskId): boolean => ['epic', 'task'].includes((of.get(id) ?? ctx.tasks.get(id))?.type ?? '');
  const touched = new Set(nodes.filter(({ known }) => !known).flatMap(({ id }) => of.get(id)?.parentId ?? []));
  return [...touched].filter((id) => isLimited(id) && (open.get(id) ?? 0) > ctx.maxSiblings);
}
