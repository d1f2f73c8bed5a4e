import { array, boolean, type InferOutput, number, object, optional, record, string, unknown } from 'valibot';
import { GateNameSchema } from '#core/model/scalars.ts';
import { type ObserveContext, observation } from '#core/observation.ts';
import { defined } from '#lib/collections.ts';
import type { TaskBaseline } from '#tasks/model/baseline.ts';
import { GateEvidenceSchema } from '../../model/verification.ts';
import { type EvidenceClaim, parseEvidence } from '../../rules/evidence.ts';
import { type GatePolicy, needsTool, opensGate, suggestToolEvidence } from '../../rules/gate-policy.ts';

const Piece = object({ kind: string(), name: optional(string()) });

const BaselineSchema = object({
  head: optional(string()),
  files: optional(array(object({ path: string(), size: optional(number()), changedAt: optional(string()), sha256: optional(string()) }))),
  at: string(),
});

const RequestSchema = object({
  task: object({ id: string(), createdAt: string() }),
  gate: GateNameSchema,
  /** The tools of another round have to run again. */
  round: number(),
  evidence: string(),
  policy: record(GateNameSchema, array(array(Piece))),
  baseline: optional(BaselineSchema),
  /** Successful runs for the task in the audit log. */
  loggedRuns: array(string()),
  /** False if evidence of this caller does not count, so that nothing is run. */
  isExamined: boolean(),
});

const FactsSchema = object({
  /** The evidence has an invalid form. */
  invalid: optional(object({ problem: string(), details: optional(record(string(), unknown())) })),
  /** The pieces that were examined; absent if none of them was. */
  evidence: optional(array(GateEvidenceSchema)),
  rejected: optional(object({ problem: string(), details: record(string(), unknown()), hasRun: boolean() })),
  /** The tools of the checkout, for the fix of an error. */
  tools: array(string()),
  /** A command that configures a tool, if the gate needs one and there is none. */
  missingTool: optional(object({ configure: string(), test: optional(string()) })),
});
export type EvidenceFacts = InferOutput<typeof FactsSchema>;

/** Examines evidence in the checkout of the caller. Tools are commands of the configuration there, which the user has trusted. */
export const evidenceFacts = observation({
  name: 'checkout.evidence',
  request: RequestSchema,
  facts: FactsSchema,
  observe: (ctx, request) => observeEvidence(ctx, request),
});

/** The names of the tools that can run in the checkout of the caller. */
export const evidenceTools = observation({
  name: 'checkout.tools',
  request: object({}),
  facts: object({ tools: array(string()) }),
  async observe(ctx) {
    const { listVerificationTools } = await import('./examine-evidence.ts');
    return { tools: listVerificationTools(ctx) };
  },
});

async function observeEvidence(ctx: ObserveContext, request: InferOutput<typeof RequestSchema>): Promise<EvidenceFacts> {
  const { platform, project, config, signal } = ctx;
  const { task, gate, evidence: text, baseline, loggedRuns, isExamined } = request;
  const policy = request.policy as GatePolicy;
  const { EvidenceRejected, examineEvidence, findFormProblem, listVerificationTools } = await import('./examine-evidence.ts');
  const submission = { platform, project, config, task, gate, policy, baseline: baseline as TaskBaseline | undefined, loggedRuns, signal };
  const claims = parseEvidence(text);
  const tools = listVerificationTools(submission);
  const hasTool = !needsTool(policy, gate) || suggestToolEvidence(policy, gate, tools) !== undefined;
  const suggest = async () => (hasTool ? {} : { missingTool: await suggestTool(ctx) });
  const invalid = findFormProblem(submission, claims);
  if (invalid) return { invalid, tools, ...(await suggest()) };
  if (!isExamined || !opensGate(policy, gate, claims as EvidenceClaim[])) return { tools, ...(await suggest()) };
  try {
    return { evidence: await examineEvidence(submission, claims), tools, ...(await suggest()) };
  } catch (error) {
    if (!(error instanceof EvidenceRejected)) throw error;
    const { message: problem, details, hasRun } = error;
    return { rejected: { problem, details: { ...details }, hasRun }, tools, ...(await suggest()) };
  }
}

async function suggestTool({ project }: ObserveContext): Promise<NonNullable<EvidenceFacts['missingTool']>> {
  const { suggestTestTool } = await import('#detect/operations/shared/suggest-test-tool.ts');
  const { configure, test } = await suggestTestTool(project.root);
  return { configure, ...defined({ test }) };
}
