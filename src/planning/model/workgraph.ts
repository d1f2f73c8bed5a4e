import { array, boolean, description, type InferOutput, literal, maxLength, optional, pipe, strictObject, string } from 'valibot';
import { type TaskId, TaskIdSchema } from '#core/model/scalars.ts';
import { Reason, Title } from '#core/model/texts.ts';
import { maxEntries, NewEntrySchema, RefOrId, RefsOrIds } from '#tasks/model/new-entry.ts';
import { RelationTypeInput } from '#tasks/model/relation.ts';
import { Revision, taskFields } from '#tasks/model/task-fields.ts';

const { parent: _, depends: __, ...fields } = taskFields;

/** Fields of an existing task that a WorkGraph may change. The status is not among them: only `start`, `complete` and the like change it. */
export const ChangedEntrySchema = strictObject({
  id: pipe(TaskIdSchema, description('The task')),
  title: optional(Title),
  ...fields,
  parent: optional(pipe(RefOrId, description('Ref or id of the new parent; none for the top level'))),
  depends: optional(pipe(RefsOrIds, description('Refs or ids that replace the current ones'))),
  addDepends: optional(pipe(RefsOrIds, description('Refs or ids to add'))),
  removeDepends: optional(pipe(RefsOrIds, description('Refs or ids to remove'))),
  reason: optional(pipe(Reason, description('Why the acceptance criteria change after the start'))),
  expectRevision: optional(pipe(Revision, description('Fail if the task has another revision'))),
});

export const RelationEntrySchema = strictObject({
  from: pipe(RefOrId, description('Ref or id of the source task')),
  to: pipe(RefOrId, description('Ref or id of the target task')),
  type: optional(pipe(RelationTypeInput, description('Type of the relation; with remove, only this type'))),
  reason: optional(Reason),
  remove: optional(pipe(boolean(), description('Remove the relation'))),
});

const entryList = <S extends Parameters<typeof array>[0]>(entry: S, about: string) =>
  optional(pipe(array(entry), maxLength(maxEntries, `must have at most ${maxEntries} entries`), description(about)));

/** Tasks to create, update, delete and relate, applied in one transaction. */
export const WorkGraphSchema = strictObject({
  $schema: optional(string()),
  version: literal(1),
  create: entryList(NewEntrySchema, 'Tasks to create'),
  update: entryList(ChangedEntrySchema, 'Tasks to update'),
  delete: entryList(TaskIdSchema, 'Tasks to delete; their children must be deleted or moved as well'),
  relations: entryList(RelationEntrySchema, 'Relations to add or remove'),
});

export type WorkGraph = InferOutput<typeof WorkGraphSchema>;
export type ChangedEntry = InferOutput<typeof ChangedEntrySchema>;
export type RelationEntry = InferOutput<typeof RelationEntrySchema>;

/** A payload that was applied, with its digest and the ids of its refs. */
export interface AppliedGraph {
  digest: string;
  refs: Record<string, TaskId>;
  at: string;
  by: string;
}
