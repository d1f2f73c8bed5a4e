import { parseForeignPriority } from '#core/rules/words.ts';
import { addToList } from '#lib/collections.ts';
import { defined } from '#lib/defined.ts';
import type { ForeignData, ForeignTask, ImportLoss, SourceFile } from '../model/foreign.ts';
import {
  addUnmappedFields,
  createForeignData,
  createImportError,
  createLossReporter,
  formatValue,
  normalizeLabels,
  parseRecords,
  parseTime,
  pickTimes,
  toFieldsList,
  toTexts,
  unmappedField,
} from './source-values.ts';

const states = ['pending', 'waiting', 'completed', 'deleted', 'recurring'];
/** Fields that are imported, and fields that Taskwarrior computes on demand. */
const mappedFields = new Set(
  (
    'id uuid description status entry modified start end priority project tags depends annotations urgency ' +
    'mask imask parent rtype template last wait'
  ).split(' '),
);

/** Reads the output of `task export`. The first part of a project name becomes an epic and the full name a label. Templates of recurring
 *  tasks are skipped; the tasks created from them are imported. */
export function readTaskwarrior(files: SourceFile[]): ForeignData {
  const losses: ImportLoss[] = [];
  const origins = new Map<ForeignTask, string>();
  const entries = files.flatMap((file) =>
    parseRecords(file).map((record, i) => ({ file: file.name, entry: checkEntry(file.name, record, i + 1) })),
  );
  const exportedAt = findLastTime(entries.map(({ entry }) => entry));
  for (const { file, entry } of entries) {
    if (entry.status === 'deleted') losses.push({ id: entry.uuid, field: 'status', why: 'deleted tasks are not imported' });
    else if (entry.status === 'recurring')
      losses.push({
        id: entry.uuid,
        field: 'recur',
        why: 'templates of recurring tasks are not imported; the tasks created from them are',
      });
    else origins.set(toForeignTask(entry, exportedAt, losses), file);
  }
  const tasks = [...origins.keys()];
  return createForeignData('taskwarrior', origins, losses, [...createEpics(tasks), ...tasks]);
}

type Entry = Record<string, unknown> & { uuid: string; description: string; status: string };

function checkEntry(file: string, record: Record<string, unknown>, n: number): Entry {
  const { uuid, description, status } = record;
  if (typeof uuid === 'string' && uuid !== '' && typeof description === 'string' && states.includes(String(status))) return record as Entry;
  throw createImportError(file, `entry ${n} is not a task of \`task export\`: uuid, description or status is missing`);
}

/** The export has no date of its own; its latest time is a lower bound. */
function findLastTime(entries: Entry[]): string {
  const times = entries.flatMap(({ modified, entry, end }) => [modified, entry, end]).map((time) => parseTime(time) ?? '');
  return times.reduce((last, time) => (time > last ? time : last), '');
}

function toForeignTask(entry: Entry, exportedAt: string, losses: ImportLoss[]): ForeignTask {
  const { uuid: id, priority, project, start } = entry;
  const reportLoss = createLossReporter(losses, id);
  const isDone = entry.status === 'completed';
  const wait = parseTime(entry.wait);
  // Since version 2.6, a waiting task is a pending one whose `wait` is in the future.
  const isWaiting = !isDone && (entry.status === 'waiting' || (wait !== undefined && wait > exportedAt));
  const unmapped = Object.entries(entry).flatMap(([field, value]): [string, string][] => {
    if (mappedFields.has(field) || value === undefined || value === null || value === '') return [];
    reportLoss(field, unmappedField);
    return [[field, parseTime(value) ?? (typeof value === 'string' ? value : formatValue(value))]];
  });
  const knownPriority = typeof priority === 'string' ? parseForeignPriority(priority) : undefined;
  if (priority && !knownPriority) reportLoss('priority', `${formatValue(priority)} is not H, M or L`);
  if (wait !== undefined && !isDone)
    reportLoss('wait', isWaiting ? 'imported as blocked; it is not unblocked on that day' : 'the day has passed');
  const name = typeof project === 'string' ? project : '';
  const topProject = name.split('.')[0] ?? '';
  return {
    id,
    title: entry.description,
    ...addUnmappedFields('', 'Taskwarrior', unmapped),
    status: isDone ? 'done' : isWaiting ? 'blocked' : start ? 'active' : 'pending',
    ...(isWaiting ? { blockedBy: wait ? `Waiting until ${wait.slice(0, 10)}` : 'Waiting' } : {}),
    ...defined({ priority: knownPriority, parent: topProject ? toEpicId(topProject) : undefined }),
    depends: toTexts(entry.depends),
    labels: normalizeLabels([...toTexts(entry.tags), name.includes('.') && `project:${name}`], reportLoss),
    acceptance: [],
    notes: toFieldsList(entry.annotations).flatMap(({ description: text, entry: at }) =>
      typeof text === 'string' ? [{ ...pickTimes({ at }, reportLoss), text }] : [],
    ),
    ...pickTimes(
      { createdAt: entry.entry, updatedAt: entry.modified, startedAt: start, completedAt: isDone ? entry.end : undefined },
      reportLoss,
    ),
  };
}

const toEpicId = (project: string): string => `project:${project}`;

/** Projects have no status in Taskwarrior: an epic is done if all its tasks are. */
function createEpics(tasks: ForeignTask[]): ForeignTask[] {
  const members = new Map<string, ForeignTask[]>();
  for (const task of tasks) if (task.parent) addToList(members, task.parent, task);
  return [...members].map(([id, children]) => ({
    id,
    title: id.slice(toEpicId('').length),
    type: 'epic',
    status: children.every((task) => task.status === 'done') ? 'done' : 'pending',
    depends: [],
    labels: [],
    acceptance: [],
    notes: [],
  }));
}
