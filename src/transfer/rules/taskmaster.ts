import type { Priority, Status } from '#core/model/scalars.ts';
import { isMap } from '#lib/is-map.ts';
import type { ForeignFile, ForeignTask, GivenFile, Loss } from '../model/foreign.ts';
import { among, foreignFile, keptLabels, type Lose, labelOf, recordsOf, refused, shown, texts, when, withRest } from './given.ts';

export const wanted = (name: string): boolean => /(?:^|\/)tasks\.json$/.test(name);

/** `tasks.json` of Task Master: lists by tag, or the one list of its first versions. Tasks of `master` keep their numbers, those
 *  of another tag have it in front and as a label. */
export function readTaskmaster(files: GivenFile[]): ForeignFile {
  const losses: Loss[] = [];
  const where = new Map<ForeignTask, string>();
  for (const file of files)
    for (const { tag, tasks } of listsOf(file)) {
      const prefix = tag === 'master' ? '' : `${tag}:`;
      const label = tag === 'master' ? undefined : labelOf(tag);
      for (const [i, task] of tasks.entries()) {
        if (!isTask(task)) throw refused(file.name, `entry ${i + 1} of ${tag} has no id and title as task-master writes them`);
        const labels = label ? [label] : [];
        where.set(taskOf(task, { prefix, labels, losses }), file.name);
        const below = Array.isArray(task.subtasks) ? task.subtasks : [];
        for (const [j, subtask] of below.entries()) {
          if (!isTask(subtask))
            throw refused(file.name, `subtask ${j + 1} of ${tag} ${task.id} has no id and title as task-master writes them`);
          where.set(
            taskOf(subtask, { prefix, labels, losses, parent: task, siblings: new Set(below.map((one) => String(isMap(one) && one.id))) }),
            file.name,
          );
        }
      }
    }
  return foreignFile('taskmaster', [...where.keys()], losses, where);
}

type Fields = Record<string, unknown>;
type Entry = Fields & { id: string | number; title: string };

function listsOf(file: GivenFile): { tag: string; tasks: unknown[] }[] {
  const [root, ...more] = recordsOf(file);
  const foreign = () => refused(file.name, 'there is no list of tasks in it as task-master keeps one');
  if (!root || more.length > 0) throw foreign();
  if (Array.isArray(root.tasks)) return [{ tag: 'master', tasks: root.tasks }];
  const lists = Object.entries(root).flatMap(([tag, value]) =>
    isMap(value) && Array.isArray(value.tasks) ? [{ tag, tasks: value.tasks }] : [],
  );
  if (lists.length === 0) throw foreign();
  return lists;
}

const isTask = (value: unknown): value is Entry =>
  isMap(value) && (typeof value.id === 'number' || (typeof value.id === 'string' && value.id !== '')) && typeof value.title === 'string';

const statuses: Record<string, Status> = {
  pending: 'pending',
  'in-progress': 'active',
  review: 'active',
  blocked: 'blocked',
  deferred: 'blocked',
  done: 'done',
  completed: 'done',
  cancelled: 'done',
};
const priorities: Record<string, Priority> = { critical: 'critical', high: 'high', medium: 'medium', low: 'low' };

const known = new Set(
  'id title description details testStrategy status dependencies labels priority subtasks parentTaskId parentId createdAt updatedAt complexity complexityScore complexityReasoning recommendedSubtasks expansionPrompt'.split(
    ' ',
  ),
);

interface Place {
  /** Of the tag. */
  prefix: string;
  labels: string[];
  losses: Loss[];
  parent?: Entry;
  siblings?: Set<string>;
}

function taskOf(entry: Entry, { prefix, labels, losses, parent, siblings }: Place): ForeignTask {
  // Some versions name a subtask in full.
  const full = (id: unknown): string => (parent && !String(id).includes('.') ? `${parent.id}.${id}` : String(id));
  const id = `${prefix}${full(entry.id)}`;
  const lose: Lose = (field, why) => losses.push({ id, field, why });
  const rest: [string, string][] = [];
  for (const [field, value] of Object.entries(entry))
    if (!known.has(field) && value !== null && value !== '' && !(typeof value === 'object' && Object.keys(value).length === 0)) {
      rest.push([field, text(value) || shown(value)]);
      lose(field, 'there is no such field; it stands in the description');
    }
  if (parent && Array.isArray(entry.subtasks) && entry.subtasks.length > 0) lose('subtasks', 'task-master has none inside a subtask');
  const status = text(entry.status) || 'pending';
  const priority = text(entry.priority) || (parent ? text(parent.priority) : '');
  if (!among(statuses, status)) lose('status', `${JSON.stringify(status)} is kept as pending`);
  if (priority && !among(priorities, priority)) lose('priority', `${JSON.stringify(priority)} is kept as medium`);
  // It has more states than we do; a label keeps the word.
  const word = status === 'cancelled' ? 'not-planned' : ['review', 'deferred'].includes(status) ? status : undefined;
  const description = [text(entry.description), text(entry.details) && `## Details\n\n${text(entry.details)}`].filter(Boolean).join('\n\n');
  const strategy = text(entry.testStrategy).trim();
  return {
    id,
    title: entry.title,
    ...withRest(
      [description, strategy.length > 1000 ? `## Test strategy\n\n${strategy}` : ''].filter(Boolean).join('\n\n'),
      'taskmaster',
      rest,
    ),
    status: among(statuses, status) ?? 'pending',
    ...(status === 'deferred' ? { blockedBy: 'deferred in taskmaster' } : {}),
    priority: among(priorities, priority) ?? 'medium',
    ...(parent ? { parent: `${prefix}${parent.id}` } : {}),
    depends: dependsOf(entry).map((on) => `${prefix}${siblings?.has(on) && Number(on) < 100 ? full(on) : on}`),
    labels: keptLabels([...labels, ...(word ? [word] : []), ...texts(entry.labels)], lose),
    acceptance:
      strategy && strategy.length <= 1000 ? [{ text: strategy, met: among(statuses, status) === 'done' && status !== 'cancelled' }] : [],
    notes: [],
    ...when('createdAt', entry.createdAt, lose),
    ...when('updatedAt', entry.updatedAt, lose),
  };
}

/** Numbers and texts, `1` and `2.1`; a plain one in a subtask means its sibling, where there is one. */
const dependsOf = (entry: Entry): string[] =>
  (Array.isArray(entry.dependencies) ? entry.dependencies : []).flatMap((on) =>
    typeof on === 'number' || typeof on === 'string' ? [String(on).trim()] : [],
  );

const text = (value: unknown): string => (typeof value === 'string' ? value : '');
