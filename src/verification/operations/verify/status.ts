import { array, description, number, optional, pipe, strictObject, string } from 'valibot';
import { query } from '#core/define.ts';
import { GateNameSchema, TaskIdSchema } from '#core/model/scalars.ts';
import { defined } from '#lib/defined.ts';
import { Timestamp } from '#tasks/model/task.ts';
import { requireTaskOrFocus } from '#tasks/operations/shared/task-transitions.ts';
import { GateEvidenceSchema, GateViewSchema, VerdictSchema } from '../../model/verification.ts';
import { listEvidenceForms } from '../../rules/evidence.ts';
import { findNextGate } from '../../rules/gates.ts';
import { listVerificationTools } from '../shared/examine-evidence.ts';
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
        array(strictObject({ gate: GateNameSchema, round: number(), by: string(), at: Timestamp, evidence: array(GateEvidenceSchema) })),
      ),
      accepts: array(string()),
      tools: optional(array(string())),
    }),
  }),
  errors: ['E_NOT_FOUND', 'E_FOCUS_REQUIRED', 'E_TASK_CLAIMED'],
  tier: 1,
  cli: { command: 'verify', args: ['taskId'], view: async () => (await import('../../view.ts')).verificationView },
  example: { world: ['T001', 'gate T001 implemented by ada'], call: { taskId: 'T001' } },
  async run(ctx, { taskId }) {
    const { store, config } = ctx;
    const { task, rounds, attempts, held } = await readVerification(store, await requireTaskOrFocus(ctx, taskId, 'verify'));
    const stale = await findStaleGates(ctx, task.id, held);
    const next = findNextGate(held, task.acceptance, config['verification.required']);
    const failures = attempts
      .filter(({ passed, evidence }) => !passed && evidence.every(({ kind }) => kind !== 'reopened'))
      .slice(-maxFailures);
    const tools = listVerificationTools(ctx);
    return {
      verification: {
        taskId: task.id,
        round: rounds.round,
        failedRounds: rounds.failed,
        maxRounds: config['verification.maxRounds'],
        gates: toGateViews(held, stale),
        ...defined({ next, verdict: rounds.verdict }),
        ...(failures.length ? { failures: failures.map(({ passed: _, ...failure }) => failure) } : {}),
        accepts: listEvidenceForms(config['verification.allowNotes']),
        ...(tools.length ? { tools } : {}),
      },
    };
  },
});
