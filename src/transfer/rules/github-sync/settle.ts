import type { TaskId } from '#core/model/scalars.ts';
import { defined } from '#lib/collections.ts';
import type { TaskRecord } from '#tasks/model/task.ts';
import { type ComparedField, comparedFields, digestRecord, hashText, type ImportBase } from '../import-base.ts';
import type { NormalizedTask } from '../normalize-task.ts';
import { removeImportedFields } from './issue-body.ts';
import { toIssueCriteria, toStateReason } from './issue-changes.ts';

/** Stands for a value that GitHub does not have, and equals none: the field counts as changed here. */
const unknownHash = '?';

interface SettleInput {
  record: TaskRecord;
  /** The task that the issue would be imported as. */
  theirs: NormalizedTask;
  /** The digest of `theirs`. */
  digest: string;
  /** The tasks of the parent and of the dependencies of the issue. */
  parent: TaskId | undefined;
  depends: TaskId[];
  earlier?: ImportBase;
}

/** Computes what is stored about an issue after its task was written to it. A field with the same value on both sides is not a change any
 *  more; all others stay what they were. */
export function settleBase(input: SettleInput): ImportBase {
  const { record, theirs, digest, depends, earlier } = input;
  const hashes = digestRecord(record).split(',');
  const earlierHashes = earlier?.ours?.split(',') ?? [];
  const ours = comparedFields.map((field, i) => (isSettled(field, input) ? hashes[i]! : (earlierHashes[i] ?? unknownHash)));
  const isUnchanged = ours.every((hash, i) => hash === hashes[i]);
  return defined({
    theirs: digest,
    ours: ours.join(','),
    revision: isUnchanged ? record.revision : undefined,
    updatedAt: theirs.updatedAt,
    labels: theirs.labels,
    files: theirs.files,
    acceptance: theirs.acceptance.map(({ text }) => hashText(text)),
    depends,
    related: theirs.related,
  });
}

function isSettled(field: ComparedField, { record, theirs, parent, depends }: SettleInput): boolean {
  switch (field) {
    case 'title':
    case 'priority':
    case 'assignee':
    case 'due':
    case 'size':
    case 'phase':
      return record[field] === theirs[field];
    case 'description':
      return removeImportedFields(record.description ?? '') === removeImportedFields(theirs.description ?? '');
    // An archived task would be taken out of the archive, because GitHub has none.
    case 'status':
      return record.status === theirs.status && record.blockedBy === theirs.blockedBy && record.archivedAt === undefined;
    case 'resolution':
      return (
        (record.status === 'done') === (theirs.status === 'done') &&
        (record.status !== 'done' || toStateReason(record.resolution) === toStateReason(theirs.resolution))
      );
    case 'labels':
    case 'files':
      return isSameSet(record[field], theirs[field]);
    case 'acceptance':
      return JSON.stringify(toIssueCriteria(record)) === JSON.stringify(theirs.acceptance);
    case 'parent':
      return record.parentId === parent;
    case 'depends':
      return isSameSet(record.depends, depends);
    case 'hint':
      return record.type === theirs.hint;
    case 'isArchived':
      return (record.archivedAt !== undefined) === theirs.isArchived;
    // Merged by their own identity.
    case 'related':
    case 'notes':
      return true;
  }
}

const isSameSet = (a: readonly string[], b: readonly string[]): boolean => a.length === b.length && a.every((item) => b.includes(item));
