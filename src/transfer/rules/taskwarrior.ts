import type { Priority } from '#core/model/scalars.ts';
import { isMap } from '#lib/is-map.ts';
import type { ForeignFile, ForeignTask, GivenFile, Loss } from '../model/foreign.ts';
import { among, foreignFile, keptLabels, type Lose, recordsOf, refused, shown, texts, timeOf, when, withRest } from './given.ts';

const states = ['pending', 'waiting', 'completed', 'deleted', 'recurring'];
const priorities: Record<string, Priority> = { H: 'high', M: 'medium', L: 'low' };

/** Read below, or computed anew by Taskwarrior whenever it is asked. */
const known = new Set(
  (
    'id uuid description status entry modified start end priority project tags depends annotations urgency ' +
    'mask imask parent rtype template last wait'
  ).split(' '),
);

export const wanted = (name: string): boolean => /(task|export)[^/]*\.(json|jsonl|ndjson)$/i.test(name);

/** What `task export` writes. The first part of a project is an epic and the whole of it a label; the template of a recurring
 *  task is no work, what it has made so far is. */
export function readTaskwarrior(files: GivenFile[]): ForeignFile {
  const losses: Loss[] = [];
  const where = new Map<ForeignTask, string>();
  const entries = files.flatMap((file) =>
    recordsOf(file).map((record, i) => ({ file: file.name, entry: entryOf(file.name, record, i + 1) })),
  );
  const told = lastTold(entries.map(({ entry }) => entry));
  for (const { file, entry } of entries) {
    if (entry.status === 'deleted') losses.push({ id: entry.uuid, field: 'status', why: 'a deleted task is not imported' });
    else if (entry.status === 'recurring')
      losses.push({ id: entry.uuid, field: 'recur', why: 'the template of a recurring task is not imported; the tasks it has made are' });
    else where.set(taskOf(entry, told, losses), file);
  }
  const tasks = [...where.keys()];
  return foreignFile('taskwarrior', [...epics(tasks), ...tasks], losses, where);
}

type Entry = Record<string, unknown> & { uuid: string; description: string; status: string };

function entryOf(file: string, record: Record<string, unknown>, n: number): Entry {
  const { uuid, description, status } = record;
  if (typeof uuid === 'string' && uuid !== '' && typeof description === 'string' && states.includes(String(status))) return record as Entry;
  throw refused(file, `entry ${n} has no uuid, description and status as \`task export\` writes them`);
}

/** The export is not older than the last thing it tells. */
function lastTold(entries: Entry[]): string {
  let last = '';
  for (const { modified, entry, end } of entries)
    for (const time of [modified, entry, end]) {
      const at = timeOf(time) ?? '';
      if (at > last) last = at;
    }
  return last;
}

function taskOf(entry: Entry, told: string, losses: Loss[]): ForeignTask {
  const { uuid: id, priority, project, start } = entry;
  const lose: Lose = (field, why) => void losses.push({ id, field, why });
  const isDone = entry.status === 'completed';
  const wait = timeOf(entry.wait);
  // Since 2.6 a waiting task is a pending one whose day has not come.
  const isWaiting = !isDone && (entry.status === 'waiting' || (wait !== undefined && wait > told));
  const rest = Object.entries(entry).flatMap(([field, value]): [string, string][] => {
    if (known.has(field) || value === undefined || value === null || value === '') return [];
    lose(field, 'there is no such field; it stands in the description');
    return [[field, timeOf(value) ?? (typeof value === 'string' ? value : shown(value))]];
  });
  const ours = typeof priority === 'string' ? among(priorities, priority) : undefined;
  if (priority && !ours) lose('priority', `${shown(priority)} is none of H, M and L`);
  if (wait !== undefined && !isDone) lose('wait', isWaiting ? 'nothing wakes it up; it is blocked, with the day' : 'its day has come');
  const name = typeof project === 'string' ? project : '';
  const top = name.split('.')[0] ?? '';
  return {
    id,
    title: entry.description,
    ...withRest('', 'Taskwarrior', rest),
    status: isDone ? 'done' : isWaiting ? 'blocked' : start ? 'active' : 'pending',
    ...(isWaiting ? { blockedBy: wait ? `Waiting until ${wait.slice(0, 10)}` : 'Waiting' } : {}),
    ...(ours ? { priority: ours } : {}),
    ...(top ? { parent: epicOf(top) } : {}),
    depends: texts(entry.depends),
    labels: keptLabels([...texts(entry.tags), ...(name.includes('.') ? [`project:${name}`] : [])], lose),
    acceptance: [],
    notes: (Array.isArray(entry.annotations) ? entry.annotations : []).flatMap((note: unknown) => {
      if (!isMap(note) || typeof note.description !== 'string') return [];
      return [{ ...when('at', note.entry, lose), text: note.description }];
    }),
    ...when('createdAt', entry.entry, lose),
    ...when('updatedAt', entry.modified, lose),
    ...when('startedAt', start, lose),
    ...(isDone ? when('completedAt', entry.end, lose) : {}),
  };
}

const epicOf = (project: string): string => `project:${project}`;

/** A project has no state in Taskwarrior: it is done when all of its tasks are. */
function epics(tasks: ForeignTask[]): ForeignTask[] {
  const members = new Map<string, ForeignTask[]>();
  for (const task of tasks) {
    if (!task.parent) continue;
    const list = members.get(task.parent);
    if (list) list.push(task);
    else members.set(task.parent, [task]);
  }
  return [...members].map(([id, inside]) => ({
    id,
    title: id.slice(epicOf('').length),
    type: 'epic',
    status: inside.every((task) => task.status === 'done') ? 'done' : 'pending',
    depends: [],
    labels: [],
    acceptance: [],
    notes: [],
  }));
}
