import { array, description, number, optional, pipe, strictObject, string } from 'valibot';
import { query } from '#core/define.ts';
import { Gate, TaskId } from '#core/model/scalars.ts';
import { Timestamp } from '#tasks/model/task.ts';
import { namedOrFocused } from '#tasks/operations/shared/moves.ts';
import { Evidence, GateView } from '../../model/verification.ts';
import { evidenceForms } from '../../rules/evidence.ts';
import { nextGate } from '../../rules/gates.ts';
import { toolsIn } from '../shared/examine.ts';
import { gateViews, staleGates, standingOf } from '../shared/verification.ts';

const mostFailures = 5;

export const verifyStatus = query({
  name: 'verify.status',
  summary: 'Show which gates of a task hold evidence, and what is accepted as such',
  params: strictObject({ taskId: optional(pipe(TaskId, description('The task; without it the focused one'))) }),
  result: strictObject({
    verification: strictObject({
      taskId: string(),
      round: number(),
      failedRounds: number(),
      maxRounds: number(),
      gates: array(GateView),
      next: optional(Gate),
      verdict: optional(strictObject({ verdict: string(), by: string(), at: Timestamp, reason: optional(string()) })),
      failures: optional(array(strictObject({ gate: Gate, round: number(), by: string(), at: Timestamp, evidence: array(Evidence) }))),
      accepts: array(string()),
      tools: optional(array(string())),
    }),
  }),
  errors: ['E_NOT_FOUND', 'E_FOCUS_REQUIRED'],
  tier: 1,
  cli: { command: 'verify', args: ['taskId'] },
  example: { world: ['T001', 'gate T001 implemented by ada'], call: { taskId: 'T001' } },
  async run(ctx, { taskId }) {
    const { store, config } = ctx;
    const { task, rounds, attempts, held } = await standingOf(store, await namedOrFocused(ctx, taskId, 'verify'));
    const stale = await staleGates(ctx, task.id, held);
    const next = nextGate(held, task.acceptance, config['verification.required']);
    const failures = attempts
      .filter(({ passed, evidence }) => !passed && evidence.every(({ kind }) => kind !== 'reopened'))
      .slice(-mostFailures);
    const tools = toolsIn(ctx);
    return {
      verification: {
        taskId: task.id,
        round: rounds.round,
        failedRounds: rounds.failed,
        maxRounds: config['verification.maxRounds'],
        gates: gateViews(held, stale),
        ...(next ? { next } : {}),
        ...(rounds.verdict ? { verdict: rounds.verdict } : {}),
        ...(failures.length ? { failures: failures.map(({ passed: _, ...failure }) => failure) } : {}),
        accepts: evidenceForms(config['verification.allowNotes']),
        ...(tools.length ? { tools } : {}),
      },
    };
  },
});
