import type { TaskType } from '../src/core/model/scalars.ts';
import { canBePlaced, getChildTier } from '../src/tasks/rules/hierarchy.ts';
import { findCycle, type TaskLinks } from '../src/tasks/rules/order.ts';
import type { PlanRecord, PlanState, PlanTaskState, PlanValue } from '../src/transfer/model/plan.ts';
import { deleteRecord, diffRecord } from '../src/transfer/rules/plan/diff.ts';
import { toCriterionElements, toKeyElements, toNoteElements, toRelationKey } from '../src/transfer/rules/plan/elements.ts';
import { mergePlans } from '../src/transfer/rules/plan/merge.ts';
import { projectPlan } from '../src/transfer/rules/plan/project.ts';

/** One step of a random history: which replica, what, on which task, with which other task, and the time since the last step. */
export type PlanStep = [replica: number, action: number, task: number, other: number, ms: number];

/** A clone: its records, what they were projected to, and its store, which commands change. */
export interface PlanReplica {
  id: string;
  driftMs: number;
  records: Map<string, PlanRecord>;
  projected: Map<string, PlanState>;
  store: Map<string, PlanState>;
  created: number;
}

export interface PlanHistory {
  replicas: PlanReplica[];
  /** Every text that was written: the task that has it. */
  texts: Map<string, string>;
  /** Texts that a command replaced or removed after it had seen them. */
  replaced: Set<string>;
  nowMs: number;
}

const actions = [
  addTask,
  addTask,
  ...Array.from({ length: 4 }, () => (h: PlanHistory, r: PlanReplica, task: PlanState) => setText(h, r, task, 'title')),
  (h: PlanHistory, r: PlanReplica, task: PlanState) => setText(h, r, task, 'description'),
  completeTask,
  completeTask,
  reopenTask,
  startTask,
  blockTask,
  cancelTask,
  deleteTask,
  moveTask,
  moveTask,
  changeTier,
  dependOn,
  dependOn,
  dropDepends,
  addLabel,
  dropLabel,
  addNote,
  addCriterion,
  tickCriterion,
  relateTasks,
  setPriority,
];
/** Steps with a higher action are syncs with another replica. */
export const actionCount = actions.length + 10;

export function createHistory(replicaCount: number): PlanHistory {
  const ids = ['a1', 'b2', 'c3', 'd4', 'e5'].slice(0, replicaCount);
  const replicas = ids.map(
    (id, i): PlanReplica => ({
      id: id.repeat(4),
      // Clocks disagree, one of them by more than a day.
      driftMs: [0, 90_000, -40_000, 3 * 86_400_000, 5][i]!,
      records: new Map(),
      projected: new Map(),
      store: new Map(),
      created: 0,
    }),
  );
  const history = { replicas, texts: new Map(), replaced: new Set<string>(), nowMs: Date.UTC(2026, 10, 16) };
  addSharedTasks(history);
  return history;
}

/** All clones begin with the same plan, so that their commands meet on the same tasks. */
function addSharedTasks(history: PlanHistory): void {
  const [first] = history.replicas;
  const add = (parent: PlanState | undefined, other: number): PlanState => {
    addTask(history, first!, parent, undefined, other);
    return [...first!.store.values()].at(-1)!;
  };
  const saga = add(undefined, 2);
  for (const epic of [add(saga, 1), add(undefined, 0)]) for (const task of [add(epic, 1), add(epic, 1)]) add(task, 1);
  add(undefined, 1);
  saveChanges(history, first!);
  for (const replica of history.replicas) receiveRecords(replica, first!.records);
}

export function runStep(history: PlanHistory, [replica, action, task, other, ms]: PlanStep): void {
  history.nowMs += ms;
  const one = history.replicas[replica % history.replicas.length]!;
  const run = actions[action];
  if (!run) {
    const peer = history.replicas[other % history.replicas.length]!;
    saveChanges(history, one);
    saveChanges(history, peer);
    // Some syncs read a part of the files only, as after a partial checkout.
    const records = [...peer.records].filter((_, i) => task % 3 !== 0 || (i + task) % 2 === 0);
    receiveRecords(one, new Map(records));
    return;
  }
  const tasks = [...one.store.values()];
  // Most commands are about a few tasks, so that they collide.
  const target = tasks[task % Math.max(1, task < 20 ? Math.min(3, tasks.length) : tasks.length)];
  const second = tasks[other % Math.max(1, tasks.length)];
  if (run === addTask) addTask(history, one, target, second, other);
  else if (target) run(history, one, target, second!, other);
}

/** Records what the commands of a replica changed since its last sync. */
export function saveChanges(history: PlanHistory, replica: PlanReplica): void {
  const nowMs = readClock(history, replica);
  for (const uid of new Set([...replica.projected.keys(), ...replica.store.keys()])) {
    const base = replica.records.get(uid);
    const now = replica.store.get(uid);
    if (now) {
      const edit = { base, before: replica.projected.get(uid), now, project: 'p', replica: replica.id, nowMs };
      replica.records.set(uid, diffRecord(edit));
    } else replica.records.set(uid, deleteRecord(base!, { at: new Date(nowMs).toISOString(), by: 'agent', replica: replica.id }));
  }
  project(replica);
}

export function receiveRecords(replica: PlanReplica, records: Map<string, PlanRecord>): void {
  replica.records = mergePlans(replica.records, records);
  project(replica);
}

function project(replica: PlanReplica): void {
  replica.projected = new Map([...projectPlan(replica.records.values()).states.values()].map((state) => [state.uid, state]));
  replica.store = cloneStore(replica.projected);
}

/** Commands replace values, so two levels are enough. */
const cloneStore = (store: Map<string, PlanState>): Map<string, PlanState> =>
  new Map([...store].map(([uid, state]) => [uid, { ...state, fields: { ...state.fields }, sets: { ...state.sets } }]));

const readClock = (history: PlanHistory, replica: PlanReplica): number => history.nowMs + replica.driftMs;
const readTime = (history: PlanHistory, replica: PlanReplica): string => new Date(readClock(history, replica)).toISOString();

export const readState = (task: PlanState): PlanTaskState => task.fields.state as unknown as PlanTaskState;
export const readPlace = (task: PlanState): { type: TaskType; parent?: string } => task.fields.place as { type: TaskType; parent?: string };
const isDone = (task: PlanState): boolean => readState(task).status === 'done';
const listChildren = ({ store }: PlanReplica, uid: string): PlanState[] =>
  [...store.values()].filter((one) => readPlace(one).parent === uid);

/** Writes a status. A reason why the task was blocked is replaced by it. */
function writeState(history: PlanHistory, task: PlanState, state: PlanTaskState): void {
  const { blockedBy } = readState(task);
  if (blockedBy !== undefined && blockedBy !== state.blockedBy) history.replaced.add(blockedBy);
  task.fields.state = state as unknown as PlanValue;
}

function createText(history: PlanHistory, task: { uid: string }): string {
  const text = `text ${history.texts.size}`;
  history.texts.set(text, task.uid);
  return text;
}

function addTask(history: PlanHistory, replica: PlanReplica, parent: PlanState | undefined, _: unknown, other: number): void {
  const type =
    parent && other % 3 !== 0 && !isDone(parent) ? getChildTier(readPlace(parent).type) : (['epic', 'task', 'saga'] as const)[other % 3]!;
  const isInside = parent !== undefined && !isDone(parent) && canBePlaced(type, readPlace(parent).type);
  if (type === 'subtask' && !isInside) return;
  const uid = `${replica.id}n${replica.created++}`;
  const numbers = [...replica.store.values()].map(({ id }) => Number(id!.slice(1)));
  const id = `T${String(Math.max(0, ...numbers) + 1).padStart(3, '0')}`;
  const at = readTime(history, replica);
  replica.store.set(uid, {
    kind: 'task',
    uid,
    id,
    fields: {
      title: createText(history, { uid }),
      priority: 'medium',
      place: isInside ? { type, parent: parent.uid } : { type },
      state: { status: 'pending' },
      creation: { at, by: 'agent' },
    },
    sets: {},
    updatedAt: at,
  });
}

function setText(history: PlanHistory, _: PlanReplica, task: PlanState, field: string): void {
  const old = task.fields[field];
  if (old !== undefined) history.replaced.add(old as string);
  task.fields[field] = createText(history, task);
}

function completeTask(history: PlanHistory, replica: PlanReplica, task: PlanState): void {
  const depends = (task.sets.depends ?? []).map(({ key }) => replica.store.get(key)!);
  if (readState(task).status === 'blocked' || isDone(task)) return;
  if (!depends.every(isDone) || !listChildren(replica, task.uid).every(isDone)) return;
  writeState(history, task, { status: 'done', resolution: 'done', completedAt: readTime(history, replica) });
}

function cancelTask(history: PlanHistory, replica: PlanReplica, task: PlanState): void {
  if (isDone(task) || !listChildren(replica, task.uid).every(isDone)) return;
  writeState(history, task, { status: 'done', resolution: 'cancelled', completedAt: readTime(history, replica) });
}

function reopenTask(history: PlanHistory, replica: PlanReplica, task: PlanState): void {
  const { parent } = readPlace(task);
  if (!isDone(task) || (parent !== undefined && isDone(replica.store.get(parent)!))) return;
  startNow(history, replica, task);
}

function startTask(history: PlanHistory, replica: PlanReplica, task: PlanState): void {
  if (!isDone(task)) startNow(history, replica, task);
}

function startNow(history: PlanHistory, replica: PlanReplica, task: PlanState): void {
  const at = readTime(history, replica);
  writeState(history, task, { status: 'active', startedAt: at, holder: { agent: `agent-${replica.id}`, replica: replica.id, at } });
}

function blockTask(history: PlanHistory, _: PlanReplica, task: PlanState): void {
  if (!isDone(task)) writeState(history, task, { status: 'blocked', blockedBy: createText(history, task) });
}

function deleteTask(history: PlanHistory, replica: PlanReplica, task: PlanState): void {
  if (isDone(task) || listChildren(replica, task.uid).length > 0) return;
  for (const other of replica.store.values()) if (other.sets.depends?.some(({ key }) => key === task.uid)) return;
  // Texts that no record has yet are deleted for good; the others return if an edit elsewhere revives the task.
  const published = JSON.stringify(replica.projected.get(task.uid) ?? '');
  for (const [text, uid] of history.texts)
    if (uid === task.uid && JSON.stringify(task).includes(`${text}"`) && !published.includes(`${text}"`)) history.replaced.add(text);
  replica.store.delete(task.uid);
  for (const { sets } of replica.store.values()) {
    const relations = (sets.relations ?? []).map((relation) => ({ ...relation, ...(relation.value as { to: string; reason: string }) }));
    for (const { to, reason } of relations) if (to === task.uid) history.replaced.add(reason);
    if (sets.relations) sets.relations = sets.relations.filter((_, i) => relations[i]!.to !== task.uid);
  }
}

function moveTask(_: PlanHistory, replica: PlanReplica, task: PlanState, parent: PlanState, other: number): void {
  const place = readPlace(task);
  const target = other % 4 === 0 ? undefined : parent;
  if (target === task || (target && isDone(target)) || !canBePlaced(place.type, target && readPlace(target).type)) return;
  if (target && isRelated(replica, task, target)) return;
  changeIfAcyclic(replica, () => {
    task.fields.place = target ? { type: place.type, parent: target.uid } : { type: place.type };
  });
}

const isRelated = ({ store }: PlanReplica, a: PlanState, b: PlanState): boolean =>
  [...store.values()].some(({ uid, sets }) =>
    sets.relations?.some(({ value }) => [a.uid, b.uid].sort().join() === [uid, (value as { to: string }).to].sort().join()),
  );

function changeTier(_: PlanHistory, replica: PlanReplica, task: PlanState, __: PlanState, other: number): void {
  const { parent } = readPlace(task);
  const type = (['saga', 'epic', 'task'] as const)[other % 3]!;
  const parentType = parent === undefined ? undefined : readPlace(replica.store.get(parent)!).type;
  if (!canBePlaced(type, parentType) || !listChildren(replica, task.uid).every((child) => canBePlaced(readPlace(child).type, type))) return;
  task.fields.place = parent === undefined ? { type } : { type, parent };
}

function dependOn(_: PlanHistory, replica: PlanReplica, task: PlanState, on: PlanState): void {
  if (task === on || isDone(task) || task.sets.depends?.some(({ key }) => key === on.uid)) return;
  changeIfAcyclic(replica, () => {
    task.sets.depends = [...(task.sets.depends ?? []), ...toKeyElements([on.uid])];
  });
}

function dropDepends(_: PlanHistory, __: PlanReplica, task: PlanState): void {
  if (task.sets.depends) task.sets.depends = task.sets.depends.slice(1);
}

/** Undoes a change that creates a cycle, as the commands refuse it. */
function changeIfAcyclic(replica: PlanReplica, change: () => void): void {
  const before = cloneStore(replica.store);
  change();
  if (findCycle([...replica.store.keys()], buildLinks(replica.store))) replica.store = before;
}

export function buildLinks(store: Map<string, PlanState>): TaskLinks {
  const links: TaskLinks = { parentOf: new Map(), dependsOf: new Map(), childrenOf: new Map() };
  for (const [uid, task] of store) {
    const { parent } = readPlace(task);
    if (parent !== undefined) {
      links.parentOf.set(uid, parent);
      links.childrenOf.set(parent, [...(links.childrenOf.get(parent) ?? []), uid]);
    }
    if (task.sets.depends)
      links.dependsOf.set(
        uid,
        task.sets.depends.map(({ key }) => key),
      );
  }
  return links;
}

function addLabel(_: PlanHistory, __: PlanReplica, task: PlanState, ___: PlanState, other: number): void {
  const keys = [...(task.sets.labels ?? []).map(({ key }) => key), `label-${other % 4}`];
  // Some commands write the list in another order.
  task.sets.labels = toKeyElements(other % 5 === 0 ? keys.reverse() : keys);
}

function dropLabel(_: PlanHistory, __: PlanReplica, task: PlanState, ___: PlanState, other: number): void {
  if (task.sets.labels) task.sets.labels = task.sets.labels.filter((_label, i) => i !== other % task.sets.labels!.length);
}

function addNote(history: PlanHistory, replica: PlanReplica, task: PlanState): void {
  const notes = (task.sets.notes ?? []).map(({ value }) => value as { at: string; by: string; text: string });
  const note = { at: readTime(history, replica), by: 'agent', text: createText(history, task) };
  task.sets.notes = toNoteElements([...notes, note]);
}

function addCriterion(history: PlanHistory, _: PlanReplica, task: PlanState): void {
  const { criteria } = toCriterionElements([{ kind: 'text', text: createText(history, task) }]);
  task.sets.criteria = [...(task.sets.criteria ?? []), ...criteria];
}

function tickCriterion(history: PlanHistory, replica: PlanReplica, task: PlanState, _: PlanState, other: number): void {
  const { criteria = [], ticks = [] } = task.sets;
  const criterion = criteria[other % Math.max(1, criteria.length)];
  if (!criterion) return;
  const rest = ticks.filter(({ key }) => key !== criterion.key);
  const tick = { key: criterion.key, value: { at: readTime(history, replica), by: 'agent' } };
  task.sets.ticks = rest.length < ticks.length ? rest : [...ticks, tick];
}

function relateTasks(history: PlanHistory, replica: PlanReplica, task: PlanState, to: PlanState): void {
  if (task === to || readPlace(task).parent === to.uid || readPlace(to).parent === task.uid) return;
  const key = toRelationKey(to.uid, 'related');
  const others = (task.sets.relations ?? []).filter((relation) => relation.key !== key);
  const old = task.sets.relations?.find((relation) => relation.key === key);
  if (old) history.replaced.add((old.value as { reason: string }).reason);
  const value = { to: to.uid, type: 'related', reason: createText(history, task), at: readTime(history, replica), by: 'agent' };
  task.sets.relations = [...others, { key, value }];
}

function setPriority(_: PlanHistory, __: PlanReplica, task: PlanState, ___: PlanState, other: number): void {
  task.fields.priority = ['critical', 'high', 'medium', 'low'][other % 4]!;
}
