import { type InferOutput, integer, literal, minValue, number, optional, picklist, pipe, regex, strictObject, string } from 'valibot';

const Hash = pipe(string(), regex(/^[0-9a-f]{64}$/));

/** An entry of the log by its number and hash. Number 0 is the start of the log. */
export const EntryHashSchema = strictObject({ seq: pipe(number(), integer(), minValue(0)), hash: Hash });

/** A line of `.cleo/audit-heads.jsonl`. A `head` says that the log had this last entry. A `segment` says that the entries after
 *  this one were lost when a backup replaced a damaged store; earlier heads beyond it no longer apply. */
export const SignedHeadSchema = strictObject({
  version: literal(1),
  kind: picklist(['head', 'segment']),
  project: string(),
  replica: string(),
  ...EntryHashSchema.entries,
  at: string(),
  /** The public key that made the signature. */
  signer: string(),
  signature: string(),
  /** In a segment: the last entry that is known to have existed. */
  lost: optional(EntryHashSchema),
});

export type SignedHead = InferOutput<typeof SignedHeadSchema>;

/** A public key that may sign the log, with the name people know it by. */
export interface Signer {
  name: string;
  publicKey: string;
}

/** `unsigned`: a chain that anyone who can write the store can rebuild. `signed`: a trusted key signed a head. `anchored`: such a
 *  head was also found outside this machine. */
export const proofLevels = ['unsigned', 'signed', 'anchored'] as const;
export type ProofLevel = (typeof proofLevels)[number];

/** The newest head that covers the log: entries 1 to `entries` are proved by it. */
export const CoverageSchema = strictObject({
  entries: number(),
  at: string(),
  signer: string(),
  /** The place outside this machine: a git remote, a server or a file. */
  source: optional(string()),
});
export type Coverage = InferOutput<typeof CoverageSchema>;
