import { array, boolean, description, type InferOutput, literal, maxLength, optional, pipe, strictObject, string } from 'valibot';
import { Reason, TaskId, Title } from '#core/model/scalars.ts';
import { mostEntries, NewEntry, RefOrId, RefsOrIds } from '#tasks/model/new-entry.ts';
import { RelationTypeInput } from '#tasks/model/relation.ts';
import { Revision, taskFields } from '#tasks/model/task.ts';

const { parent: _, depends: __, ...fields } = taskFields;

/** What may be changed of a task that exists. Its status is not among it: that is moved by who works on it. */
export const ChangedEntry = strictObject({
  id: pipe(TaskId, description('The task')),
  title: optional(Title),
  ...fields,
  parent: optional(pipe(RefOrId, description('Ref or id of the new parent; none for the top level'))),
  depends: optional(pipe(RefsOrIds, description('Refs or ids, in place of those it has'))),
  addDepends: optional(pipe(RefsOrIds, description('Further ones'))),
  removeDepends: optional(pipe(RefsOrIds, description('Those it no longer waits for'))),
  reason: optional(pipe(Reason, description('Why the acceptance criteria change after the start'))),
  expectRevision: optional(pipe(Revision, description('Refuse if the task has another revision by now'))),
});

export const RelationEntry = strictObject({
  from: pipe(RefOrId, description('Ref or id of the task that the relation is said of')),
  to: pipe(RefOrId, description('Ref or id of the task it is related to')),
  type: optional(pipe(RelationTypeInput, description('How they are related; with remove: only this type'))),
  reason: optional(Reason),
  remove: optional(pipe(boolean(), description('Take the relation back'))),
});

const listOf = <S extends Parameters<typeof array>[0]>(entry: S, about: string) =>
  optional(pipe(array(entry), maxLength(mostEntries, `must have at most ${mostEntries} entries`), description(about)));

/** A piece of work as one document: what is made, changed, deleted and related, all of it or nothing. */
export const WorkGraph = strictObject({
  $schema: optional(string()),
  version: literal(1),
  create: listOf(NewEntry, 'Tasks to be made'),
  update: listOf(ChangedEntry, 'Tasks to be changed'),
  delete: listOf(TaskId, 'Tasks to be deleted; what is inside them has to be listed too, or moved'),
  relations: listOf(RelationEntry, 'Relations to be made or taken back'),
});

export type WorkGraph = InferOutput<typeof WorkGraph>;
export type ChangedEntry = InferOutput<typeof ChangedEntry>;
export type RelationEntry = InferOutput<typeof RelationEntry>;

/** A payload that was applied: its digest, and the ids that its refs became. */
export interface AppliedGraph {
  digest: string;
  refs: Record<string, TaskId>;
  at: string;
  by: string;
}
