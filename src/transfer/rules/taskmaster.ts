import { parseForeignPriority, parseForeignStatus } from '#core/rules/words.ts';
import { isPlainObject } from '#lib/is-plain-object.ts';
import type { ForeignData, ForeignTask, ImportLoss, SourceFile } from '../model/foreign.ts';
import {
  addUnmappedFields,
  createForeignData,
  createImportError,
  createLossReporter,
  joinParagraphs,
  listUnmapped,
  normalizeLabels,
  parseRecords,
  pickTimes,
  toTaskLabel,
  toText,
  toTexts,
} from './source-values.ts';

/** Reads `tasks.json` of Task Master: one list per tag, or the single list of its first versions. Tasks of `master` keep their numbers;
 *  those of other tags get the tag as a prefix and as a label. */
export function readTaskmaster(files: SourceFile[]): ForeignData {
  const losses: ImportLoss[] = [];
  const origins = new Map<ForeignTask, string>();
  for (const file of files)
    for (const { tag, tasks } of readTaskLists(file)) {
      const prefix = tag === 'master' ? '' : `${tag}:`;
      const label = prefix && toTaskLabel(tag);
      for (const [i, task] of tasks.entries()) {
        if (!isTask(task)) throw createImportError(file.name, `entry ${i + 1} of ${tag} has no id and title`);
        origins.set(toForeignTask(task, { prefix, label, losses }), file.name);
        const subtasks = Array.isArray(task.subtasks) ? task.subtasks : [];
        for (const [j, subtask] of subtasks.entries()) {
          if (!isTask(subtask)) throw createImportError(file.name, `subtask ${j + 1} of ${tag} ${task.id} has no id and title`);
          origins.set(
            toForeignTask(subtask, {
              prefix,
              label,
              losses,
              parent: task,
              siblings: new Set(subtasks.map((sibling) => String(isPlainObject(sibling) && sibling.id))),
            }),
            file.name,
          );
        }
      }
    }
  return createForeignData('taskmaster', origins, losses);
}

type Fields = Record<string, unknown>;
type Entry = Fields & { id: string | number; title: string };

function readTaskLists(file: SourceFile): { tag: string; tasks: unknown[] }[] {
  const [root, ...more] = parseRecords(file);
  const createFormatError = () => createImportError(file.name, 'it contains no task list of task-master');
  if (!root || more.length > 0) throw createFormatError();
  if (Array.isArray(root.tasks)) return [{ tag: 'master', tasks: root.tasks }];
  const lists = Object.entries(root).flatMap(([tag, value]) =>
    isPlainObject(value) && Array.isArray(value.tasks) ? [{ tag, tasks: value.tasks }] : [],
  );
  if (lists.length === 0) throw createFormatError();
  return lists;
}

const isTask = (value: unknown): value is Entry =>
  isPlainObject(value) &&
  (typeof value.id === 'number' || (typeof value.id === 'string' && value.id !== '')) &&
  typeof value.title === 'string';

const mappedFields = new Set(
  'id title description details testStrategy status dependencies labels priority subtasks parentTaskId parentId createdAt updatedAt complexity complexityScore complexityReasoning recommendedSubtasks expansionPrompt'.split(
    ' ',
  ),
);

interface EntryContext {
  /** Prefix of the tag. */
  prefix: string;
  label: string | undefined;
  losses: ImportLoss[];
  parent?: Entry;
  siblings?: Set<string>;
}

function toForeignTask(entry: Entry, { prefix, label, losses, parent, siblings }: EntryContext): ForeignTask {
  // Some versions write the full id of a subtask.
  const toFullId = (id: unknown): string => (parent && !String(id).includes('.') ? `${parent.id}.${id}` : String(id));
  const id = `${prefix}${toFullId(entry.id)}`;
  const reportLoss = createLossReporter(losses, id);
  const unmapped = listUnmapped(entry, (field) => mappedFields.has(field), reportLoss);
  if (parent && Array.isArray(entry.subtasks) && entry.subtasks.length > 0)
    reportLoss('subtasks', 'subtasks of a subtask are not imported');
  const givenStatus = toText(entry.status) || 'pending';
  const givenPriority = toText(entry.priority) || toText(parent?.priority);
  const status = parseForeignStatus(givenStatus);
  const priority = parseForeignPriority(givenPriority);
  if (!status) reportLoss('status', `${JSON.stringify(givenStatus)} is imported as pending`);
  if (givenPriority && !priority) reportLoss('priority', `${JSON.stringify(givenPriority)} is imported as medium`);
  // A label preserves statuses that tasks do not have.
  const statusLabel = givenStatus === 'cancelled' ? 'not-planned' : ['review', 'deferred'].includes(givenStatus) && givenStatus;
  const strategy = toText(entry.testStrategy).trim();
  const description = joinParagraphs(
    toText(entry.description),
    toText(entry.details) && `## Details\n\n${toText(entry.details)}`,
    strategy.length > 1000 ? `## Test strategy\n\n${strategy}` : '',
  );
  return {
    id,
    title: entry.title,
    ...addUnmappedFields(description, 'taskmaster', unmapped),
    status: status ?? 'pending',
    ...(givenStatus === 'deferred' ? { blockedBy: 'deferred in taskmaster' } : {}),
    priority: priority ?? 'medium',
    ...(parent ? { parent: `${prefix}${parent.id}` } : {}),
    depends: listDepends(entry).map((on) => `${prefix}${siblings?.has(on) && Number(on) < 100 ? toFullId(on) : on}`),
    labels: normalizeLabels([label, statusLabel, ...toTexts(entry.labels)], reportLoss),
    acceptance: strategy && strategy.length <= 1000 ? [{ text: strategy, met: status === 'done' && givenStatus !== 'cancelled' }] : [],
    notes: [],
    ...pickTimes({ createdAt: entry.createdAt, updatedAt: entry.updatedAt }, reportLoss),
  };
}

/** Dependencies are numbers or texts such as `1` and `2.1`. In a subtask, a plain number means a sibling if there is one. */
const listDepends = (entry: Entry): string[] =>
  (Array.isArray(entry.dependencies) ? entry.dependencies : []).flatMap((on) =>
    typeof on === 'number' || typeof on === 'string' ? [String(on).trim()] : [],
  );
