import { defined, isPlainObject } from '#lib/collections.ts';
import type { ForeignData, ForeignStream, ForeignTask, ImportLoss, SourceFile } from '../model/foreign.ts';
import { parseUid } from './export/context.ts';
import {
  addUnmappedFields,
  collectSourceTasks,
  createImportError,
  createLossReporter,
  createStream,
  joinParagraphs,
  listUnmapped,
  normalizeLabels,
  parseCriteria,
  parseDate,
  parseRecords,
  pickTimes,
  readEach,
  type SourceFields,
  toTaskLabel,
  toText,
  toTexts,
} from './source-values.ts';
import { parseForeignState, parseForeignType, parsePriority } from './vocabulary.ts';

export const readTaskmaster = (files: SourceFile[]): ForeignData => collectSourceTasks(streamTaskmaster(files));

/** Reads `tasks.json` of Task Master: one list per tag, or the single list of its first versions. Tasks of `master` keep their numbers;
 *  those of other tags get the tag as a prefix and as a label. */
export function streamTaskmaster(files: SourceFile[]): ForeignStream {
  return createStream('taskmaster', function* ({ losses }) {
    for (const { tag, tasks } of readEach(files, losses, (file) => readTaskLists(file, losses))) {
      const prefix = tag === 'master' ? '' : `${tag}:`;
      const context: EntryContext = { prefix, label: prefix ? toTaskLabel(tag) : undefined, losses };
      for (const entry of listEntries(tasks, `${tag} entry`, losses)) {
        yield toForeignTask(entry, context);
        const subtasks = [...listEntries(entry.subtasks, `${tag} ${entry.id} subtask`, losses)];
        const siblings = new Set(subtasks.map(({ id }) => String(id)));
        for (const subtask of subtasks) yield toForeignTask(subtask, { ...context, parent: entry, siblings });
      }
    }
  });
}

type Entry = SourceFields & { id: string | number; title: string };

function* readTaskLists(file: SourceFile, losses: ImportLoss[]): Generator<{ tag: string; tasks: unknown[] }> {
  const [root, ...more] = [...parseRecords(file, losses)].map(({ record }) => record);
  const createFormatError = () => createImportError(file.name, 'it contains no task list of task-master');
  if (!root || more.length > 0) throw createFormatError();
  const lists = Array.isArray(root.tasks)
    ? [{ tag: 'master', tasks: root.tasks }]
    : Object.entries(root).flatMap(([tag, value]) =>
        isPlainObject(value) && Array.isArray(value.tasks) ? [{ tag, tasks: value.tasks }] : [],
      );
  if (lists.length === 0) throw createFormatError();
  yield* lists;
}

/** Lists the entries of a list. One without a title gets its id as title; one without an id is skipped. */
function* listEntries(list: unknown, where: string, losses: ImportLoss[]): Generator<Entry> {
  for (const [i, value] of (Array.isArray(list) ? list : []).entries()) {
    const report = (why: string): unknown => losses.push({ id: `${where} ${i + 1}`, field: 'task', why, isProblem: true });
    const fields = isPlainObject(value) ? value : undefined;
    const id = fields?.id;
    if (!fields || !(typeof id === 'number' || (typeof id === 'string' && id.trim() !== ''))) report('it has no id; skipped');
    else yield { ...fields, id, title: toText(fields.title) };
  }
}

const mappedFields = new Set(
  'id title description details testStrategy status dependencies labels tags assignee dueDate priority subtasks parentTaskId parentId createdAt updatedAt completedAt complexity complexityScore complexityReasoning recommendedSubtasks expansionPrompt'.split(
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
  const { cleo, ...metadata } = isPlainObject(entry.metadata) ? entry.metadata : {};
  // Our export adds what entries do not have.
  const own: SourceFields = isPlainObject(cleo) ? cleo : {};
  const unmapped = listUnmapped({ ...entry, metadata }, (field) => mappedFields.has(field), reportLoss);
  if (parent && Array.isArray(entry.subtasks) && entry.subtasks.length > 0)
    reportLoss('subtasks', 'subtasks of a subtask are not imported');
  const givenStatus = toText(entry.status) || 'pending';
  const givenPriority = entry.priority ?? parent?.priority ?? '';
  const { status, resolution, isDeferred, isGuess } = parseForeignState(givenStatus);
  const ownResolution = resolution && parseForeignState(toText(own.resolution)).resolution;
  const priority = parsePriority(givenPriority);
  if (isGuess) reportLoss('status', `${JSON.stringify(givenStatus)} is imported as ${status}`);
  if (givenPriority && !priority) reportLoss('priority', `${JSON.stringify(givenPriority)} is imported as medium`);
  // A label preserves a status that tasks do not have.
  const statusLabel = isDeferred || /^review$/i.test(givenStatus) ? givenStatus : undefined;
  const strategy = toText(entry.testStrategy).trim();
  const hasBoxes = strategy !== '' && strategy.split('\n').every((line) => /^- \[[ x]\] \S/.test(line));
  const description = joinParagraphs(
    toText(entry.description) === entry.title ? '' : toText(entry.description),
    toText(entry.details) && `## Details\n\n${toText(entry.details)}`,
    strategy.length > 1000 && !hasBoxes ? `## Test strategy\n\n${strategy}` : '',
  );
  return {
    id,
    ...defined({ uid: parseUid(toText(own.uid)), type: parseForeignType(toText(own.type)).type }),
    title: entry.title,
    ...addUnmappedFields(description, 'taskmaster', unmapped),
    status,
    ...defined({
      resolution: ownResolution ?? resolution,
      assignee: toText(entry.assignee).trim() || undefined,
      due: parseDate(entry.dueDate),
    }),
    ...(status === 'blocked' && (isDeferred || toText(own.blockedBy))
      ? { blockedBy: toText(own.blockedBy) || `${givenStatus} in taskmaster` }
      : {}),
    priority: priority ?? 'medium',
    ...defined({ parent: parent ? `${prefix}${parent.id}` : toText(own.parent) || undefined }),
    depends: listDepends(entry).map((on) => `${prefix}${siblings?.has(on) && Number(on) < 100 ? toFullId(on) : on}`),
    labels: normalizeLabels([label, statusLabel, ...toTexts(entry.labels), ...toTexts(entry.tags)], reportLoss),
    acceptance: hasBoxes
      ? parseCriteria(strategy)
      : strategy && strategy.length <= 1000
        ? [{ text: strategy, met: status === 'done' && !resolution }]
        : [],
    notes: [],
    ...pickTimes({ createdAt: entry.createdAt, updatedAt: entry.updatedAt }, reportLoss),
    ...(status === 'done' ? pickTimes({ completedAt: entry.completedAt }, reportLoss) : {}),
  };
}

/** Dependencies are numbers or texts such as `1` and `2.1`. In a subtask, a plain number means a sibling if there is one. */
const listDepends = (entry: Entry): string[] =>
  (Array.isArray(entry.dependencies) ? entry.dependencies : []).flatMap((on) =>
    typeof on === 'number' || typeof on === 'string' ? [String(on).trim()] : [],
  );
