import type { Resolution, TaskId } from '#core/model/scalars.ts';
import { redactText } from '#lib/redact.ts';
import type { Note, TaskRecord } from '#tasks/model/task.ts';
import type { IssueChanges, IssueState, LinkedIssue, PushLoss } from '../../model/github.ts';
import { parseLabels } from '../github.ts';
import type { ComparedField } from '../import-base.ts';
import type { NormalizedTask } from '../normalize-task.ts';
import { toTaskLabel } from '../source-values.ts';
import { type BodyContent, updateIssueBody } from './issue-body.ts';
import { formatComment } from './markers.ts';

interface IssueComparison {
  record: TaskRecord;
  /** The task that the issue would be imported as. */
  theirs: NormalizedTask;
  state: IssueState;
  /** The fields that were changed here and not written to GitHub yet. */
  changed: ReadonlySet<ComparedField>;
  /** Notes that GitHub does not have. */
  newNotes: Note[];
  /** Finds the issue of a task. */
  findIssue(id: TaskId): LinkedIssue | undefined;
  /** Finds the task of an issue of this repository. */
  findTask(number: number): TaskId | undefined;
  /** Checks whether an issue can be assigned to a name. */
  isAssignable(name: string): boolean;
}

const reasons: Record<Resolution, 'completed' | 'not_planned' | 'duplicate'> = {
  done: 'completed',
  cancelled: 'not_planned',
  wontfix: 'not_planned',
  duplicate: 'duplicate',
};

export const toStateReason = (resolution: Resolution | undefined) => reasons[resolution ?? 'done'];

/** Computes the requests that write the changes of a task to its issue. Fields that were not changed here are never written. Texts that
 *  contain a secret are left out and reported. */
export function computeIssueChanges(comparison: IssueComparison): { changes: IssueChanges; losses: PushLoss[] } {
  const { record, theirs, state, changed, newNotes } = comparison;
  const { issue } = state;
  const losses: PushLoss[] = [];
  const reportLoss = (field: string, why: string): void => void losses.push({ taskId: record.id, field, why });
  const isPublishable = (field: string, text: string): boolean => {
    const isClean = redactText(text) === text;
    if (!isClean) reportLoss(field, 'it seems to contain a secret; it was not written to GitHub');
    return isClean;
  };
  const patch: IssueChanges['patch'] = {};
  if (changed.has('title') && record.title !== theirs.title && isPublishable('title', record.title)) patch.title = record.title;
  if (changed.has('description') || changed.has('acceptance')) {
    const body = updateIssueBody(issue.body, toContent(theirs), pickChanged(record, theirs, changed));
    if (body !== issue.body && isPublishable('description', body)) patch.body = body;
  }
  setState(patch, record, issue.state, issue.state_reason, changed);
  setLabels(patch, comparison);
  setAssignee(patch, comparison, reportLoss);
  const parent = changed.has('parent') ? computeParent(comparison, reportLoss) : undefined;
  return {
    changes: {
      patch,
      ...(parent === undefined ? {} : { parent }),
      ...computeBlockers(comparison, reportLoss),
      comments: newNotes.filter(({ text }) => isPublishable('notes', text)).map(formatComment),
    },
    losses,
  };
}

export const hasChanges = ({ patch, parent, addBlockers, removeBlockers, comments }: IssueChanges): boolean =>
  Object.keys(patch).length > 0 || parent !== undefined || addBlockers.length + removeBlockers.length + comments.length > 0;

/** Names the changes for a report. */
export const listChangedIssueFields = ({ patch, parent, addBlockers, removeBlockers, comments }: IssueChanges): string[] => [
  ...Object.keys(patch).filter((field) => field !== 'state_reason' || patch.state === undefined),
  ...(parent === undefined ? [] : ['parent']),
  ...(addBlockers.length + removeBlockers.length > 0 ? ['depends'] : []),
  ...(comments.length > 0 ? ['comments'] : []),
];

const toContent = ({ description, acceptance }: NormalizedTask): BodyContent => ({ description: description ?? '', acceptance });

export const toIssueCriteria = ({ acceptance }: TaskRecord): BodyContent['acceptance'] =>
  acceptance.flatMap(({ kind, text, metAt }) => (kind === 'text' ? [{ text: text ?? '', met: metAt !== undefined }] : []));

const pickChanged = (record: TaskRecord, theirs: NormalizedTask, changed: ReadonlySet<ComparedField>): BodyContent => ({
  description: (changed.has('description') ? record.description : theirs.description) ?? '',
  acceptance: changed.has('acceptance') ? toIssueCriteria(record) : theirs.acceptance,
});

/** GitHub knows open and closed. A task that is active or blocked is an open issue; nothing else is written for it. */
function setState(
  patch: IssueChanges['patch'],
  { status, resolution }: TaskRecord,
  state: string,
  reason: string | null,
  changed: ReadonlySet<ComparedField>,
): void {
  if (!changed.has('status') && !changed.has('resolution')) return;
  const wanted = toStateReason(resolution);
  if (status !== 'done' && state === 'closed') Object.assign(patch, { state: 'open', state_reason: 'reopened' });
  else if (status === 'done' && (state !== 'closed' || (changed.has('resolution') && (reason ?? 'completed') !== wanted)))
    Object.assign(patch, { state: 'closed', state_reason: wanted });
}

/** Labels of a milestone or an issue type are made by the reader; GitHub has no such labels. */
const isVirtual = (label: string): boolean => /^(?:milestone|type):/.test(label);

/** Keeps the names of GitHub, which tasks have in a normalized form, and labels that set a field. */
function setLabels(patch: IssueChanges['patch'], { record, theirs, state, changed }: IssueComparison): void {
  const names = state.issue.labels.map(({ name }) => name);
  const plain = new Set(parseLabels(names).labels);
  let labels = names;
  if (changed.has('labels')) {
    const known = new Set(names.map(toTaskLabel));
    labels = [
      ...names.filter((name) => !plain.has(name) || record.labels.includes(toTaskLabel(name) ?? '')),
      ...record.labels.filter((label) => !known.has(label) && !isVirtual(label)),
    ];
  }
  if (changed.has('priority') && record.priority !== theirs.priority)
    labels = [...labels.filter((name) => parseLabels([name]).priority === undefined), `priority:${record.priority}`];
  if (JSON.stringify(labels) !== JSON.stringify(names)) patch.labels = labels;
}

function setAssignee(
  patch: IssueChanges['patch'],
  { record, theirs, state, changed, isAssignable }: IssueComparison,
  reportLoss: (field: string, why: string) => void,
): void {
  const { assignee } = record;
  if (!changed.has('assignee') || assignee === theirs.assignee) return;
  if (assignee !== undefined && !isAssignable(assignee)) {
    reportLoss('assignee', `${assignee} is not a GitHub user who can be assigned in this repository`);
    return;
  }
  // An issue has several assignees, a task has the first of them.
  const others = state.issue.assignees.slice(1).flatMap(({ login }) => (login === assignee ? [] : [login]));
  patch.assignees = assignee === undefined ? others : [assignee, ...others];
}

function computeParent(
  { record, theirs, state, findIssue, findTask }: IssueComparison,
  reportLoss: (field: string, why: string) => void,
): LinkedIssue | null | undefined {
  const current = theirs.parent === undefined ? undefined : findTask(toNumber(theirs.parent));
  if (current === record.parentId) return undefined;
  const parent = record.parentId && findIssue(record.parentId);
  if (parent) return parent;
  if (record.parentId) reportLoss('parent', `${record.parentId} has no issue`);
  return state.issue.parent_issue_url === null ? undefined : null;
}

function computeBlockers(
  { record, state, changed, findIssue, findTask }: IssueComparison,
  reportLoss: (field: string, why: string) => void,
): Pick<IssueChanges, 'addBlockers' | 'removeBlockers'> {
  if (!changed.has('depends')) return { addBlockers: [], removeBlockers: [] };
  const current = new Set(state.blockedBy.map(({ id }) => id));
  const addBlockers = record.depends.flatMap((id) => {
    const issue = findIssue(id);
    if (!issue) reportLoss('depends', `${id} has no issue`);
    return issue && !current.has(issue.id) ? [issue] : [];
  });
  // A blocker that is not a task here stays.
  const removeBlockers = state.blockedBy.filter(({ number }) => {
    const task = findTask(number);
    return task !== undefined && !record.depends.includes(task);
  });
  return { addBlockers, removeBlockers };
}

export const toNumber = (foreignId: string): number => Number(/#(\d+)$/.exec(foreignId)?.[1]);
