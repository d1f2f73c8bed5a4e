import { array, type InferOutput, literal, number, optional, picklist, strictObject, string, union } from 'valibot';
import { Gate } from '#core/model/scalars.ts';
import { Timestamp } from '#tasks/model/task.ts';

/** In the order in which they are passed. */
export const gateNames = Gate.options;

const HashedFile = strictObject({ path: string(), sha256: string() });

/** What was looked at, and what was found. */
export const Evidence = union([
  strictObject({ kind: literal('commit'), commit: string() }),
  strictObject({ kind: literal('files'), files: array(HashedFile) }),
  /** The hash is of everything it printed. */
  strictObject({ kind: literal('tool'), name: string(), exitCode: number(), sha256: string() }),
  strictObject({
    kind: literal('test-run'),
    passed: number(),
    skipped: number(),
    path: optional(string()),
    sha256: string(),
  }),
  /** A run that succeeded, and what it made. */
  strictObject({ kind: literal('run'), run: string(), files: array(HashedFile) }),
  strictObject({ kind: literal('url'), url: string() }),
  strictObject({ kind: literal('note'), text: string() }),
  strictObject({ kind: literal('verdict'), verdict: picklist(['attested', 'rejected']), reason: optional(string()) }),
  /** What did not hold, in the caller's words, and why. */
  strictObject({ kind: literal('failed'), text: string(), problem: string() }),
  /** The task was done and taken up again. */
  strictObject({ kind: literal('reopened') }),
]);
export type Evidence = InferOutput<typeof Evidence>;

/** One time that somebody brought evidence for a gate, or judged it. */
export interface Attempt {
  gate: Gate;
  round: number;
  passed: boolean;
  evidence: Evidence[];
  by: string;
  at: string;
}

export interface Verdict {
  verdict: 'attested' | 'rejected';
  by: string;
  at: string;
  reason?: string;
}

/** Where the verification of a task stands. */
export interface Rounds {
  round: number;
  failed: number;
  /** Of this round, or of the one before that it closed. */
  verdict?: Verdict;
}

export const GateView = strictObject({
  gate: Gate,
  isHeld: optional(literal(true)),
  by: optional(string()),
  at: optional(Timestamp),
  evidence: optional(array(Evidence)),
  /** Its files that are no longer what they were. */
  stale: optional(array(string())),
});
export type GateView = InferOutput<typeof GateView>;
