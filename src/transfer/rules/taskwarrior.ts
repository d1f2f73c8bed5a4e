import type { Priority } from '#core/model/scalars.ts';
import { defined } from '#lib/collections.ts';
import type { ForeignData, ForeignStream, ForeignTask, ImportLoss, SourceFile } from '../model/foreign.ts';
import { parseUuid, toTag } from './export/taskwarrior.ts';
import {
  addUnmappedFields,
  collectSourceTasks,
  createLossReporter,
  createSink,
  createStream,
  formatValue,
  normalizeLabels,
  parseCriteria,
  parseDate,
  parseRecords,
  parseTime,
  pickTimes,
  readEach,
  type SourceFields,
  toFieldsList,
  toText,
  toTexts,
  unmappedField,
} from './source-values.ts';
import { parseForeignState, parseForeignType, parsePriority, toolWords } from './vocabulary.ts';

/** SourceFields that are imported, and fields that Taskwarrior computes on demand. */
const mappedFields = new Set(
  (
    'id uuid description status entry modified start end priority project tags depends annotations urgency due ' +
    'mask imask parent rtype template last wait assignee ' +
    'cleo_type cleo_parent cleo_priority cleo_labels cleo_blocked cleo_resolution cleo_description cleo_criteria'
  ).split(' '),
);

export const readTaskwarrior = (files: SourceFile[]): ForeignData => collectSourceTasks(streamTaskwarrior(files));

/** Reads the output of `task export`. The first part of a project name becomes an epic and the full name a label. Templates of recurring
 *  tasks are skipped; the tasks created from them are imported. The projects of all tasks are read first: epics come before their tasks. */
export function streamTaskwarrior(files: SourceFile[]): ForeignStream {
  let summary: ExportSummary | undefined;
  return createStream('taskwarrior', function* ({ losses, deletedIds }) {
    const listEntries = (reported: ImportLoss[]): Iterable<Entry> =>
      readEach(files, reported, function* (file) {
        for (const { record, where } of parseRecords(file, reported)) {
          const entry = toEntry(record);
          if (typeof entry === 'object') yield entry;
          else reported.push({ id: where, field: 'task', why: `${entry}; skipped`, isProblem: true });
        }
      });
    summary ??= summarizeEntries(listEntries(createSink()));
    const { exportedAt, projects, epics } = summary;
    for (const [project, isDone] of projects) if (!epics.has(project)) yield createEpic(project, isDone);
    for (const entry of listEntries(losses)) {
      if (entry.status === 'deleted') deletedIds.push(entry.uuid);
      if (entry.status === 'deleted') losses.push({ id: entry.uuid, field: 'status', why: 'deleted tasks are not imported' });
      else if (entry.status === 'recurring')
        losses.push({
          id: entry.uuid,
          field: 'recur',
          why: 'templates of recurring tasks are not imported; the tasks created from them are',
        });
      else yield toForeignTask(entry, exportedAt, epics, losses);
    }
  });
}

interface ExportSummary {
  exportedAt: string;
  /** The top-level projects, and whether all their tasks are done. */
  projects: Map<string, boolean>;
  /** The tasks that our export wrote for epics, by project. */
  epics: Map<string, string>;
}

function summarizeEntries(entries: Iterable<Entry>): ExportSummary {
  const summary: ExportSummary = { exportedAt: '', projects: new Map(), epics: new Map() };
  const { projects, epics } = summary;
  for (const entry of entries) {
    summary.exportedAt = findLastTime(entry, summary.exportedAt);
    const project = getTopProject(entry);
    const isDone = entry.status === 'completed';
    if (!project || isSkipped(entry)) continue;
    if (entry.cleo_type === 'epic') epics.set(project, entry.uuid);
    else if (!toText(entry.cleo_parent)) projects.set(project, isDone && projects.get(project) !== false);
  }
  return summary;
}

type Entry = SourceFields & { uuid: string; description: string; status: string };

const isSkipped = ({ status }: Entry): boolean => status === 'deleted' || status === 'recurring';

/** Returns the entry, or the reason why it is none. */
function toEntry(record: SourceFields): Entry | string {
  const { uuid, description, status } = record;
  if (typeof uuid !== 'string' || uuid.trim() === '') return 'it is not a task of `task export`: it has no uuid';
  if (description === undefined && status === undefined) return 'it is not a task of `task export`: description and status are missing';
  return { ...record, uuid, description: toText(description), status: toText(status) || 'pending' };
}

/** The export has no date of its own; its latest time is a lower bound. */
function findLastTime({ modified, entry, end }: Entry, last: string): string {
  return [modified, entry, end].reduce((latest: string, value) => {
    const time = parseTime(value) ?? '';
    return time > latest ? time : latest;
  }, last);
}

const getTopProject = ({ project }: Entry): string => toText(project).split('.')[0]?.trim() ?? '';

/** `epics` are the tasks that our export wrote for the epics of projects. */
function toForeignTask(entry: Entry, exportedAt: string, epics: Map<string, string>, losses: ImportLoss[]): ForeignTask {
  const { uuid: id, priority, project, start } = entry;
  const reportLoss = createLossReporter(losses, id);
  const { status: known, resolution, isGuess } = parseForeignState(entry.status, entry.end);
  if (isGuess) reportLoss('status', `${formatValue(entry.status)} is imported as ${known}`);
  const isDone = known === 'done';
  const wait = parseTime(entry.wait);
  // Since version 2.6, a waiting task is a pending one whose `wait` is in the future.
  const isWaiting = !isDone && (entry.status === 'waiting' || (wait !== undefined && wait > exportedAt));
  const unmapped = Object.entries(entry).flatMap(([field, value]): [string, string][] => {
    if (mappedFields.has(field) || value === undefined || value === null || value === '') return [];
    reportLoss(field, unmappedField);
    return [[field, parseTime(value) ?? (typeof value === 'string' ? value : formatValue(value))]];
  });
  const own = readOwnFields(entry, parsePriority(priority));
  const knownPriority = own.priority;
  if (priority && !knownPriority) reportLoss('priority', `${formatValue(priority)} is not H, M or L`);
  if (wait !== undefined && !isDone)
    reportLoss('wait', isWaiting ? 'imported as blocked; it is not unblocked on that day' : 'the day has passed');
  const name = toText(project);
  const topProject = getTopProject(entry);
  return {
    id,
    title: entry.description,
    ...addUnmappedFields(toText(entry.cleo_description), 'Taskwarrior', unmapped),
    status: isDone
      ? 'done'
      : isWaiting || known === 'blocked'
        ? 'blocked'
        : start || known === 'active'
          ? 'active'
          : own.blockedBy
            ? 'blocked'
            : 'pending',
    ...(isWaiting ? { blockedBy: wait ? `Waiting until ${wait.slice(0, 10)}` : 'Waiting' } : defined({ blockedBy: own.blockedBy })),
    ...defined({
      uid: parseUuid(id),
      type: own.type,
      resolution: resolution ?? (isDone ? own.resolution : undefined),
      priority: knownPriority,
      parent: toText(entry.cleo_parent) || (own.type || !topProject ? undefined : (epics.get(topProject) ?? toEpicId(topProject))),
      due: parseDate(entry.due),
      assignee: toText(entry.assignee).trim() || undefined,
    }),
    depends: toTexts(entry.depends),
    labels: normalizeLabels([...own.labels, name.includes('.') && `project:${name}`], reportLoss),
    acceptance: parseCriteria(entry.cleo_criteria),
    notes: toFieldsList(entry.annotations).flatMap(({ description: text, entry: at }) =>
      typeof text === 'string' ? [{ ...pickTimes({ at }, reportLoss), text }] : [],
    ),
    ...pickTimes(
      { createdAt: entry.entry, updatedAt: entry.modified, startedAt: start, completedAt: isDone ? entry.end : undefined },
      reportLoss,
    ),
  };
}

/** Reads the attributes that our export adds. A value that was changed in Taskwarrior takes precedence. */
function readOwnFields(entry: Entry, given: Priority | undefined) {
  const own = parsePriority(entry.cleo_priority);
  const { priorities } = toolWords.taskwarrior;
  const names = new Map(toTexts(entry.cleo_labels).map((label) => [toTag(label), label]));
  return {
    type: parseForeignType(toText(entry.cleo_type)).type,
    priority: own && given && priorities[own] === priorities[given] ? own : given,
    blockedBy: toText(entry.cleo_blocked) || undefined,
    resolution: parseForeignState(toText(entry.cleo_resolution)).resolution,
    labels: toTexts(entry.tags).map((tag) => names.get(tag) ?? tag),
  };
}

const toEpicId = (project: string): string => `project:${project}`;

/** Projects have no status in Taskwarrior: an epic is done if all its tasks are. */
const createEpic = (project: string, isDone: boolean): ForeignTask => ({
  id: toEpicId(project),
  title: project,
  type: 'epic',
  status: isDone ? 'done' : 'pending',
  depends: [],
  labels: [],
  acceptance: [],
  notes: [],
});
