import { description, number, pipe, strictObject, string } from 'valibot';
import { mutation } from '#core/define.ts';
import { TaskIdSchema } from '#core/model/scalars.ts';
import { Reason } from '#core/model/texts.ts';
import { defined } from '#lib/collections.ts';
import { VerdictSchema } from '../../model/verification.ts';
import { failRound } from '../../rules/gates.ts';
import { prepareVerdict, recordVerdict, ValidatorAgent, ValidatorSecret, verdictErrors } from '../shared/verdict.ts';

export const validatorReject = mutation({
  name: 'validator.reject',
  summary: 'Reject a task: clear its gates and start the next round',
  params: strictObject({
    taskId: pipe(TaskIdSchema, description('The task')),
    reason: pipe(Reason, description('What is missing, for the next agent')),
    agent: ValidatorAgent,
    secret: ValidatorSecret,
  }),
  result: strictObject({
    verdict: strictObject({ taskId: string(), ...VerdictSchema.entries, reason: string(), round: number() }),
  }),
  errors: verdictErrors,
  scope: { scope: 'decide', when: 'for a person who judges without the secret of a spawn' },
  redactedParams: ['secret'],
  tier: 2,
  cli: { command: 'validator reject', args: ['taskId', 'reason'] },
  example: {
    world: ['T001', 'gate T001 implemented by ada'],
    call: { taskId: 'T001', reason: 'Quoted fields are not read' },
  },
  async run(ctx, params) {
    const prepared = await prepareVerdict(ctx, params, 'rejected');
    const { by, state, independence } = prepared;
    const rounds = failRound(state.rounds);
    const verdict = { verdict: 'rejected' as const, by, at: ctx.now, reason: params.reason, ...defined({ independence }) };
    return { verdict: { ...(await recordVerdict(ctx, prepared, verdict, rounds)), round: rounds.round } };
  },
});
