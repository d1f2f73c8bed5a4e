import {
  array,
  type InferOutput,
  integer,
  literal,
  maxLength,
  minValue,
  null_,
  number,
  object,
  optional,
  picklist,
  pipe,
  string,
  union,
  variant,
} from 'valibot';
import { fileRecordKinds } from './shared-records.ts';

const Name = pipe(string(), maxLength(1000, 'must have at most 1000 characters'));
const Names = pipe(array(Name), maxLength(10_000, 'must have at most 10000 names'));
const Kind = picklist(fileRecordKinds);

/** The body of `POST /api/records`: a client reads or changes the records that its files are copies of. */
export const RecordCallSchema = object({
  project: optional(Name),
  agent: Name,
  request: variant('action', [
    object({ action: literal('list'), kinds: array(Kind) }),
    object({ action: literal('read'), kind: Kind, names: Names }),
    object({ action: literal('remove'), kind: Kind, names: Names }),
    object({
      action: literal('save'),
      kind: Kind,
      records: array(
        object({
          name: Name,
          hash: Name,
          size: pipe(number(), integer(), minValue(0)),
          stored: optional(object({ encoding: picklist(['utf8', 'base64']), content: string() })),
          replaces: optional(Name),
          /** The hash that the client has compared with, or null for a new record. The server keeps a record that has another one by now. */
          expected: optional(union([Name, null_()])),
        }),
      ),
    }),
  ]),
});
export type RecordCall = InferOutput<typeof RecordCallSchema>;
