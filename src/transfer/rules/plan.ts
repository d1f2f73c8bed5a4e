import { CleoError } from '#core/errors/error.ts';
import type { TaskId } from '#core/model/scalars.ts';
import type { Note, TaskRecord } from '#tasks/model/task.ts';
import type { ForeignFile, Loss } from '../model/foreign.ts';
import { changedFields, digestOf } from './changes.ts';
import { fitted } from './fit.ts';
import { bornAs, notesOf, type Standing, updatedTo } from './records.ts';
import { type Draft, type Here, type Item, type Known, sceneOf, takesState } from './scene.ts';
import { standings } from './standings.ts';
import { crowded, relationsOf, type Tie } from './ties.ts';

export interface Plan {
  created: { task: TaskRecord; notes: Note[] }[];
  updated: { before: TaskRecord; after: TaskRecord; notes: Note[] }[];
  /** Not changed over there, but standing otherwise because of what comes in. */
  shifted: { id: TaskId; standing: Standing }[];
  relations: Tie[];
  remembered: { foreignId: string; taskId: TaskId; digest: string }[];
  /** Every task of the file that is here afterwards. */
  ids: { id: string; taskId: TaskId }[];
  losses: Loss[];
  /** Holders of more open children than may be added by hand. */
  crowded: TaskId[];
}

export function draftOf(file: ForeignFile, known: Map<string, Known>): Draft {
  const seen = new Set<string>();
  for (const { id } of file.tasks) {
    if (seen.has(id)) throw new CleoError('E_ID_COLLISION', { id, fix: 'cleo help import' });
    seen.add(id);
  }
  const losses: Loss[] = [];
  const items = file.tasks.map((foreign): Item => {
    const task = fitted(file.source, foreign, losses);
    const digest = digestOf(task, (id) => seen.has(id) || known.has(id));
    const before = known.get(task.id);
    return { task, digest, ...(before ? { known: before } : {}), changed: changedFields(before?.digest, digest) };
  });
  return { source: file.source, items, losses: [...file.losses, ...losses], known };
}

/** How a file becomes tasks that keep every rule of ours. What has no place is put where it has one, or left out, and reported.
 *  Of a task that was imported before, the fields that changed over there are taken; what changed only here stays. */
export function planImport(draft: Draft, ctx: Here, freshIds: TaskId[], now: string, agent: string): Plan {
  const scene = sceneOf(draft, ctx, freshIds);
  const standing = standings(scene);
  const plan: Plan = {
    created: [],
    updated: [],
    shifted: [],
    relations: relationsOf(scene, standing),
    remembered: [],
    ids: [],
    losses: [],
    crowded: crowded(scene, standing),
  };
  for (const node of scene.nodes) {
    const { id, task, digest, changed, known } = node;
    const stands = standing.of.get(id)!;
    const before = ctx.records.get(id);
    plan.ids.push({ id: task.id, taskId: id });
    if (known?.digest !== digest) plan.remembered.push({ foreignId: task.id, taskId: id, digest });
    if (!known) plan.created.push({ task: bornAs(id, task, stands, now, agent), notes: notesOf(task, [], now, agent) });
    else if (before && changed.size > 0) {
      const after = updatedTo(before, task, changed, stands, takesState(node, ctx), { now, agent });
      plan.updated.push({ before, after, notes: changed.has('notes') ? notesOf(task, ctx.notes.get(id) ?? [], now, agent) : [] });
    }
  }
  for (const [id, stands] of standing.of) {
    const node = scene.byId.get(id);
    if (ctx.tasks.has(id) && !(node && node.changed.size > 0) && standing.isShifted(id)) plan.shifted.push({ id, standing: stands });
  }
  const quiet = new Set(scene.nodes.filter(({ known, changed }) => known && changed.size === 0).map(({ task }) => task.id));
  plan.losses = [...draft.losses.filter(({ id }) => !quiet.has(id)), ...scene.losses];
  return plan;
}
