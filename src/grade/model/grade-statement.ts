import { boolean, description, type InferOutput, literal, optional, pipe, strictObject, string } from 'valibot';
import { EntryHashSchema } from '#admin/model/signed-head.ts';
import { GradeResultSchema } from './grade.ts';

/** A file of `.cleo/plan/grades/`: a signed grade that a checkout without the log can verify. */
export const GradeStatementSchema = strictObject({
  version: literal(1),
  kind: literal('grade'),
  project: pipe(string(), description('Key of the project')),
  replica: pipe(string(), description('Id of the store that has the log')),
  grade: GradeResultSchema,
  /** Reads of the session were not recorded. */
  isPartial: optional(boolean()),
  first: pipe(EntryHashSchema, description('First entry of the session')),
  last: pipe(EntryHashSchema, description('Last entry of the session')),
  head: pipe(EntryHashSchema, description('Last entry of the log')),
  at: string(),
  signer: pipe(string(), description('Public key')),
  signature: string(),
});

export type GradeStatement = InferOutput<typeof GradeStatementSchema>;
