import { array, description, type InferOutput, maxLength, minLength, optional, pipe, regex, strictObject, string } from 'valibot';
import { taskInput } from './task-fields.ts';

export const Ref = pipe(
  string(),
  regex(/^[\w.:/-]{1,100}$/, 'must consist of letters, digits and . _ : / - (at most 100)'),
  description('Name that other entries of the call can refer to'),
);
export const RefOrId = pipe(string(), minLength(1, 'must not be empty'), maxLength(100, 'must have at most 100 characters'));
export const RefsOrIds = array(RefOrId);

/** A task created together with others; the entries refer to each other by `ref`. */
export const NewEntrySchema = strictObject({
  ...taskInput,
  ref: optional(Ref),
  parent: optional(pipe(RefOrId, description('Ref or id'))),
  depends: optional(pipe(RefsOrIds, description('Refs or ids'))),
});

export const maxEntries = 10_000;
export type NewEntry = InferOutput<typeof NewEntrySchema>;
