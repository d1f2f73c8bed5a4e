import { array, description, number, optional, pipe, strictObject, string } from 'valibot';
import { query } from '#core/define.ts';
import { GateNameSchema, TaskIdSchema } from '#core/model/scalars.ts';
import { requestFacts } from '#core/observation.ts';
import { defined } from '#lib/collections.ts';
import { Timestamp } from '#tasks/model/task.ts';
import { fileDigests } from '#tasks/operations/shared/file-digests.ts';
import { requireTaskOrFocus } from '#tasks/operations/shared/task-transitions.ts';
import { ClaimedEvidenceSchema, GateEvidenceSchema, GateViewSchema, ObserverSchema, VerdictSchema } from '../../model/verification.ts';
import { getGatePolicy, listOpeningForms } from '../../rules/gate-policy.ts';
import { findNextGate, isClaimed, listClaimedEvidence } from '../../rules/gates.ts';
import { evidenceTools } from '../shared/evidence-facts.ts';
import { findStaleGates, readVerification, toGateViews } from '../shared/verification.ts';

const maxFailures = 5;

export const verifyStatus = query({
  name: 'verify.status',
  summary: 'Show the gates of a task and the accepted evidence forms',
  params: strictObject({ taskId: optional(pipe(TaskIdSchema, description('The task; default: the focused one'))) }),
  result: strictObject({
    verification: strictObject({
      taskId: string(),
      round: number(),
      failedRounds: number(),
      maxRounds: number(),
      gates: array(GateViewSchema),
      next: optional(GateNameSchema),
      verdict: optional(VerdictSchema),
      failures: optional(
        array(
          strictObject({
            gate: GateNameSchema,
            round: number(),
            by: string(),
            at: Timestamp,
            evidence: array(GateEvidenceSchema),
            observer: optional(ObserverSchema),
          }),
        ),
      ),
      /** Statements that were stored and opened no gate, the last ones. */
      claimed: optional(array(ClaimedEvidenceSchema)),
      /** Forms that open the next gate. */
      accepts: array(string()),
      tools: optional(array(string())),
    }),
  }),
  errors: ['E_NOT_FOUND', 'E_FOCUS_REQUIRED', 'E_TASK_CLAIMED'],
  tier: 1,
  observes: [fileDigests, evidenceTools],
  observeFirst: () => [requestFacts(evidenceTools, {})],
  cli: { command: 'verify', args: ['taskId'], view: async () => (await import('../../view.ts')).verificationView },
  example: { world: ['T001', 'gate T001 implemented by ada'], call: { taskId: 'T001' } },
  async run(ctx, { taskId }) {
    const { store, config } = ctx;
    const { task, rounds, attempts, held } = await readVerification(store, await requireTaskOrFocus(ctx, taskId, 'verify'));
    const stale = await findStaleGates(ctx, task.id, held);
    const next = findNextGate(held, task.acceptance, config['verification.required']);
    const failures = attempts
      .filter((attempt) => !attempt.passed && !isClaimed(attempt) && attempt.evidence.every(({ kind }) => kind !== 'reopened'))
      .slice(-maxFailures);
    const claimed = listClaimedEvidence(attempts);
    const { tools } = await ctx.getFacts(evidenceTools, {});
    return {
      verification: {
        taskId: task.id,
        round: rounds.round,
        failedRounds: rounds.failed,
        maxRounds: config['verification.maxRounds'],
        gates: toGateViews(held, stale),
        ...defined({ next, verdict: rounds.verdict }),
        ...(failures.length ? { failures: failures.map(({ passed: _, ...failure }) => failure) } : {}),
        ...(claimed.length ? { claimed: claimed.slice(-maxFailures) } : {}),
        accepts: listOpeningForms(getGatePolicy(config), next ?? 'qaPassed'),
        ...(tools.length ? { tools } : {}),
      },
    };
  },
});
