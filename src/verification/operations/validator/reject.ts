import { description, number, pipe, strictObject, string } from 'valibot';
import { mutation } from '#core/define.ts';
import { Reason, TaskIdSchema } from '#core/model/scalars.ts';
import { Timestamp } from '#tasks/model/task.ts';
import { failRound } from '../../rules/gates.ts';
import { prepareVerdict, recordVerdict, ValidatorAgent, verdictErrors } from '../shared/verdict.ts';

export const validatorReject = mutation({
  name: 'validator.reject',
  summary: 'Reject a task: clear its gates and start the next round',
  params: strictObject({
    taskId: pipe(TaskIdSchema, description('The task')),
    reason: pipe(Reason, description('What is missing, for the next agent')),
    agent: ValidatorAgent,
  }),
  result: strictObject({
    verdict: strictObject({ taskId: string(), verdict: string(), by: string(), at: Timestamp, reason: string(), round: number() }),
  }),
  errors: verdictErrors,
  tier: 2,
  cli: { command: 'validator reject', args: ['taskId', 'reason'] },
  example: {
    world: ['T001', 'gate T001 implemented by ada'],
    call: { taskId: 'T001', reason: 'Quoted fields are not read' },
  },
  async run(ctx, params) {
    const { by, state } = await prepareVerdict(ctx, params, 'rejected');
    const rounds = failRound(state.rounds);
    const verdict = { verdict: 'rejected' as const, by, at: ctx.now, reason: params.reason };
    return { verdict: { ...(await recordVerdict(ctx, state, verdict, rounds)), round: rounds.round } };
  },
});
