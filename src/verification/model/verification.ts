import { array, type InferOutput, literal, number, optional, picklist, strictObject, string, union } from 'valibot';
import { type GateName, GateNameSchema } from '#core/model/scalars.ts';
import { Timestamp } from '#tasks/model/task.ts';

const HashedFileSchema = strictObject({ path: string(), sha256: string() });
export type HashedFile = InferOutput<typeof HashedFileSchema>;

/** How a validator proved to be another agent: by the secret of its spawn, by another client process or token, or as a person. */
const IndependenceSchema = picklist(['spawn', 'process', 'person']);
export type Independence = InferOutput<typeof IndependenceSchema>;

/** Evidence after it was examined. */
export const GateEvidenceSchema = union([
  strictObject({ kind: literal('commit'), commit: string() }),
  strictObject({ kind: literal('files'), files: array(HashedFileSchema) }),
  /** `sha256` is the hash of the tool's output. */
  strictObject({ kind: literal('tool'), name: string(), exitCode: number(), sha256: string() }),
  strictObject({
    kind: literal('test-run'),
    passed: number(),
    skipped: number(),
    path: optional(string()),
    sha256: string(),
  }),
  /** A successful run and the files it wrote. */
  strictObject({ kind: literal('run'), run: string(), files: array(HashedFileSchema) }),
  strictObject({ kind: literal('url'), url: string() }),
  strictObject({ kind: literal('note'), text: string() }),
  strictObject({
    kind: literal('verdict'),
    verdict: picklist(['attested', 'rejected']),
    reason: optional(string()),
    independence: optional(IndependenceSchema),
  }),
  /** Rejected evidence as the caller wrote it, and the reason. */
  strictObject({ kind: literal('failed'), text: string(), problem: string() }),
  /** A statement that was not checked, as the caller wrote it, and the reason why it opens no gate. */
  strictObject({ kind: literal('claimed'), text: string(), problem: string() }),
  /** The task was done and has been reopened. */
  strictObject({ kind: literal('reopened') }),
]);
export type GateEvidence = InferOutput<typeof GateEvidenceSchema>;

/** The process that checked evidence: its machine, its agent client, and the token of the call. */
export const ObserverSchema = strictObject({ host: string(), process: optional(string()), token: optional(string()) });
export type Observer = InferOutput<typeof ObserverSchema>;

/** One submission of evidence for a gate, or one verdict. */
export interface GateAttempt {
  gate: GateName;
  round: number;
  passed: boolean;
  evidence: GateEvidence[];
  by: string;
  at: string;
  /** Unknown for evidence of older versions. */
  observer?: Observer;
}

export interface ValidatorVerdict {
  verdict: 'attested' | 'rejected';
  by: string;
  at: string;
  reason?: string;
  /** Unknown for verdicts of older versions. */
  independence?: Independence;
}

/** A verdict as answers show it. */
export const VerdictSchema = strictObject({
  verdict: string(),
  by: string(),
  at: Timestamp,
  reason: optional(string()),
  independence: optional(IndependenceSchema),
});

/** The current round of a task and the number of failed rounds. */
export interface RoundState {
  round: number;
  failed: number;
  /** The verdict of this round, or the one that closed the previous round. */
  verdict?: ValidatorVerdict;
}

/** A statement that opened no gate, as answers show it. */
export const ClaimedEvidenceSchema = strictObject({ gate: GateNameSchema, by: string(), at: Timestamp, text: string(), problem: string() });
export type ClaimedEvidence = InferOutput<typeof ClaimedEvidenceSchema>;

export const GateViewSchema = strictObject({
  gate: GateNameSchema,
  isHeld: optional(literal(true)),
  by: optional(string()),
  at: optional(Timestamp),
  evidence: optional(array(GateEvidenceSchema)),
  observer: optional(ObserverSchema),
  /** Files that changed since they were submitted. */
  stale: optional(array(string())),
});
export type GateView = InferOutput<typeof GateViewSchema>;
