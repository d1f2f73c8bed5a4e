import { CleoError } from '#core/errors/error.ts';
import type { Claim } from '#core/model/audit.ts';
import type { Status, TaskId, TaskType } from '#core/model/scalars.ts';
import type { SessionHandle } from '#core/model/session-handle.ts';
import type { TaskRecord } from '#tasks/model/task.ts';
import { holderOf } from '#tasks/rules/claims.ts';
import { breaksPromise, editRecord } from '#tasks/rules/edit.ts';
import { checkChildren, checkPlacement } from '#tasks/rules/hierarchy.ts';
import { circles, type Links } from '#tasks/rules/order.ts';
import { isInScope, scopeText } from '#tasks/rules/scope.ts';
import { type Finding, finding } from './workgraph-read.ts';
import { type Key, nameOf, type Planned, type PlannedRelation, type Resolved } from './workgraph-resolve.ts';

interface Edge {
  from: TaskId;
  to: TaskId;
}

/** What the store knows of everything that the payload touches. */
export interface GraphFacts {
  /** What is named, what that is inside of, and what is inside of what is moved or deleted. */
  tasks: Map<TaskId, TaskRecord>;
  /** Who is inside of what is changed or deleted. */
  children: Edge[];
  /** Who is inside of what is to hold more, and open. */
  openChildren: Edge[];
  /** Who waits for what is deleted. */
  dependents: Edge[];
  relations: { from: TaskId; to: TaskId; type: string }[];
  /** Of others, and in force, on what is moved or deleted. */
  claims: Claim[];
  /** What the planned tasks wait for, with the plan laid over the store. */
  links: Links;
  maxSiblings: number;
  session: SessionHandle | undefined;
}

/** Everything that is wrong with a payload whose names are known, as it would be refused one by one, judged by how the
 *  tasks will stand in the end: a limit that a later entry makes room for is kept. */
export function judgeGraph(resolved: Resolved, facts: GraphFacts): Finding[] {
  const end = endOf(resolved, facts);
  return once([
    ...resolved.created.flatMap((one) => misplaced(one, end)),
    ...resolved.updated.flatMap((one) => [...misplaced(one, end), ...unfit(one)]),
    ...crowded(resolved, end),
    ...[...resolved.deleted].flatMap(([id, pointer]) => undeletable(id, pointer, end)),
    ...resolved.relations.flatMap((relation) => unrelatable(relation, end)),
    ...related(resolved, end),
    ...circular(resolved, facts.links),
  ]);
}

/** Deeper than anything that is in order; entries may contain each other in a circle. */
const deepest = 10;

/** How everything will stand. */
interface End {
  facts: GraphFacts;
  resolved: Resolved;
  planned: Map<Key, Planned>;
  placeOf(key: Key): { type: TaskType; status: Status; parentId?: Key | undefined } | undefined;
  /** What it is inside of, the parent first. */
  above(key: Key | undefined): { id: string; type: TaskType; status: Status; key: Key }[];
}

function endOf(resolved: Resolved, facts: GraphFacts): End {
  const planned = new Map([...resolved.created, ...resolved.updated].map((one) => [one.key, one]));
  const placeOf = (key: Key) => planned.get(key) ?? facts.tasks.get(key);
  const above: End['above'] = (start) => {
    const found: ReturnType<End['above']> = [];
    for (let key = start, depth = 0; key !== undefined && depth < deepest; key = placeOf(key)?.parentId, depth++) {
      const place = placeOf(key);
      if (place) found.push({ id: nameOf(key), key, type: place.type, status: place.status });
    }
    return found;
  };
  return { facts, resolved, planned, placeOf, above };
}

/** What the new parents of a task that exists will be, those that exist. */
export const placeInEnd = (resolved: Resolved, facts: GraphFacts, { parentId }: Planned): { id: TaskId }[] =>
  endOf(resolved, facts)
    .above(parentId)
    .filter(({ key }) => facts.tasks.has(key));

const isMoved = ({ before, parentId, type }: Planned): boolean => !before || before.parentId !== parentId || before.type !== type;

/** Its tier, its parent and the scope it is in. */
function misplaced(one: Planned, end: End): Finding[] {
  const { facts } = end;
  const { before, edges, type } = one;
  const found: Finding[] = [];
  const at = edges.parent ?? edges.type ?? one.pointer;
  if (isMoved(one)) {
    const ancestry = end.above(one.parentId);
    // A parent that names nothing is told already.
    const isKnown = one.parentId !== undefined || one.entry.parent === undefined || one.entry.parent === 'none';
    if (isKnown) found.push(...refused(at, () => checkPlacement({ type, ancestry, openSiblings: 0, maxSiblings: 0, isOpen: false })));
    const [parent] = ancestry;
    if (parent?.status === 'done' && one.status !== 'done')
      found.push(finding(at, new CleoError('E_TASK_COMPLETED', { taskId: parent.id, act: 'adding to it', fix: '' })));
    const isRoot = before && facts.session?.scope.root === before.id;
    if (isKnown && !isRoot && (!before || before.parentId !== one.parentId)) found.push(...outside(at, one.key, ancestry, facts));
  }
  if (before) {
    found.push(...outside(one.pointer, one.key, [{ key: one.key }, ...ancestryNow(before, facts)], facts));
    if (isMoved(one)) found.push(...held(before.id, one.pointer, facts));
    const staying = facts.children.filter(({ from, to }) => from === before.id && stays(to, before.id, end));
    const children = staying.flatMap(({ to }) => (end.planned.has(to) ? [] : (facts.tasks.get(to) ?? [])));
    if (before.type !== type) found.push(...refused(at, () => checkChildren({ id: before.id, type }, children)));
  }
  return found;
}

/** Whether one who is inside now will be. */
const stays = (child: TaskId, parent: TaskId, { planned, resolved }: End): boolean =>
  !resolved.deleted.has(child) && (!planned.has(child) || planned.get(child)?.parentId === parent);

function ancestryNow({ parentId }: TaskRecord, { tasks }: GraphFacts): { key: Key }[] {
  const found: { key: Key }[] = [];
  for (let id = parentId; id !== undefined && found.length < deepest; id = tasks.get(id)?.parentId) found.push({ key: id });
  return found;
}

function outside(pointer: string, key: Key, ancestry: { key: Key }[], { session }: GraphFacts): Finding[] {
  const ids = ancestry.map(({ key }) => ({ id: key }));
  if (!session || isInScope(session.scope, ids)) return [];
  const facts = { what: nameOf(key), scope: scopeText(session.scope), sessionId: session.id, better: 'global' };
  return [finding(pointer, new CleoError('E_TASK_NOT_IN_SCOPE', facts))];
}

function held(id: TaskId, pointer: string, { claims }: GraphFacts): Finding[] {
  const claim = claims.find(({ taskId }) => taskId === id);
  const facts = claim && { taskId: id, holder: holderOf(claim), since: claim.claimedAt, focus: '', claim: '' };
  return facts ? [finding(pointer, new CleoError('E_TASK_CLAIMED', facts))] : [];
}

/** What only a task that exists can be refused for. */
function unfit({ before, entry, pointer }: Planned): Finding[] {
  if (!before) return [];
  const found: Finding[] = [];
  if (entry.expectRevision !== undefined && entry.expectRevision !== before.revision) {
    const facts = { taskId: before.id, expected: entry.expectRevision, actual: before.revision };
    found.push(finding(`${pointer}/expectRevision`, new CleoError('E_CONCURRENT_MODIFICATION', facts)));
  }
  const { acceptance, acceptEvidence, reason } = entry;
  if (breaksPromise(before, editRecord(before, { acceptance, acceptEvidence }), reason)) {
    const at = acceptance ? 'acceptance' : 'acceptEvidence';
    found.push(finding(`${pointer}/${at}`, new CleoError('E_VALIDATION_FROZEN', { taskId: before.id, retry: '' })));
  }
  return found;
}

/** Open children beyond the limit, in the order they come; what was too many before is left alone. */
function crowded({ created, updated }: Resolved, end: End): Finding[] {
  const { openChildren, maxSiblings } = end.facts;
  const open = new Map<Key, number>();
  for (const { from, to } of openChildren) if (stays(to, from, end)) open.set(from, (open.get(from) ?? 0) + 1);
  return [...updated, ...created].flatMap(({ parentId, before, status, edges, pointer }): Finding[] => {
    if (parentId === undefined || status === 'done' || before?.parentId === parentId) return [];
    const count = (open.get(parentId) ?? 0) + 1;
    open.set(parentId, count);
    const isLimited = maxSiblings > 0 && end.placeOf(parentId)?.type !== 'saga';
    if (!isLimited || count <= maxSiblings) return [];
    return [finding(edges.parent ?? pointer, new CleoError('E_SIBLING_LIMIT', { parent: nameOf(parentId), max: maxSiblings }))];
  });
}

function undeletable(id: TaskId, pointer: string, end: End): Finding[] {
  const { facts, resolved, planned } = end;
  const task = facts.tasks.get(id);
  if (!task) return [];
  const found = [...outside(pointer, id, [{ key: id }, ...ancestryNow(task, facts)], facts), ...held(id, pointer, facts)];
  if (task.status === 'done') found.push(finding(pointer, new CleoError('E_TASK_COMPLETED', { taskId: id, act: 'deleting it', fix: '' })));
  const inside = facts.children.filter(({ from, to }) => from === id && stays(to, id, end)).map(({ to }) => to);
  if (inside.length > 0) found.push(finding(pointer, new CleoError('E_HAS_CHILDREN', { taskId: id, children: inside, act: 'delete' })));
  const waiting = facts.dependents
    .filter(({ from, to }) => from === id && !resolved.deleted.has(to) && (planned.get(to)?.depends.includes(id) ?? true))
    .map(({ to }) => to);
  if (waiting.length > 0) found.push(finding(pointer, new CleoError('E_HAS_DEPENDENTS', { taskId: id, dependents: waiting, retry: '' })));
  return found;
}

function unrelatable({ from, to, isRemoved, pointer }: PlannedRelation, end: End): Finding[] {
  if (isRemoved) return [];
  const names = { from: nameOf(from), to: nameOf(to) };
  if (from === to) return [finding(pointer, new CleoError('E_CIRCULAR_REFERENCE', { path: [names.from, names.to], what: 'depends' }))];
  const isContained = end.placeOf(from)?.parentId === to || end.placeOf(to)?.parentId === from;
  return isContained ? [finding(pointer, new CleoError('E_INVALID_RELATION', names))] : [];
}

/** Tasks that come to stand below one they are related to. */
function related({ updated, relations }: Resolved, { facts }: End): Finding[] {
  const cut = relations.filter(({ isRemoved }) => isRemoved);
  const isCut = (one: GraphFacts['relations'][number]): boolean =>
    cut.some(({ from, to, type }) => one.from === from && one.to === to && (type === undefined || one.type === type));
  return updated.flatMap(({ key, parentId, before, edges, pointer }) => {
    const ties = (one: GraphFacts['relations'][number]): boolean =>
      (one.from === key && one.to === parentId) || (one.to === key && one.from === parentId);
    const tie = parentId !== before?.parentId && facts.relations.find((one) => ties(one) && !isCut(one));
    return tie ? [finding(edges.parent ?? pointer, new CleoError('E_INVALID_RELATION', tie))] : [];
  });
}

/** Each circle, at a place of the payload that is part of it. */
function circular({ created, updated }: Resolved, links: Links): Finding[] {
  const planned = new Map([...created, ...updated].map((one) => [one.key, one]));
  const placeOf = (from: Key, to: Key): string | undefined =>
    planned.get(from)?.edges.depends.get(to) ?? parentEdge(planned.get(from), to) ?? parentEdge(planned.get(to), from);
  const found: Finding[] = [];
  const told = new Set<string>();
  for (const path of circles([...planned.keys()], links)) {
    // Entries inside each other can neither begin nor finish, which is one mistake.
    const among = [...new Set(path)].sort().join();
    if (told.has(among)) continue;
    told.add(among);
    const places = path.slice(1).flatMap((to, i) => placeOf(path[i]!, to) ?? []);
    const what = places[0]?.endsWith('/parent') ? 'parent' : 'depends';
    found.push(finding(places[0] ?? '', new CleoError('E_CIRCULAR_REFERENCE', { path: shortened(path.map(nameOf)), what })));
  }
  return found;
}

const parentEdge = (child: Planned | undefined, parent: Key): string | undefined =>
  child?.parentId === parent ? child.edges.parent : undefined;

const shortened = (path: string[]): string[] => (path.length > 12 ? [...path.slice(0, 8), '…', ...path.slice(-3)] : path);

function refused(pointer: string, check: () => void): Finding[] {
  try {
    check();
    return [];
  } catch (error) {
    if (error instanceof CleoError) return [finding(pointer, error)];
    throw error;
  }
}

/** The same mistake is told once at a place. */
function once(findings: Finding[]): Finding[] {
  const seen = new Set<string>();
  return findings.filter(({ pointer, code }) => {
    const isNew = !seen.has(`${code} ${pointer}`);
    seen.add(`${code} ${pointer}`);
    return isNew;
  });
}
