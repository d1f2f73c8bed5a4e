import { array, description, type InferOutput, maxLength, minLength, optional, pipe, regex, strictObject, string } from 'valibot';
import { taskInput } from './task.ts';

export const Ref = pipe(
  string(),
  regex(/^[\w.:/-]{1,100}$/, 'may hold letters, digits and . _ : / - (at most 100)'),
  description('A name for this entry, by which the others mean it'),
);
export const RefOrId = pipe(string(), minLength(1, 'must not be empty'), maxLength(100, 'must have at most 100 characters'));
export const RefsOrIds = array(RefOrId);

/** A task that is made together with others; they name each other by ref. */
export const NewEntry = strictObject({
  ...taskInput,
  ref: optional(Ref),
  parent: optional(pipe(RefOrId, description('Ref or id'))),
  depends: optional(pipe(RefsOrIds, description('Refs or ids'))),
});

export const mostEntries = 10_000;
export type NewEntry = InferOutput<typeof NewEntry>;
