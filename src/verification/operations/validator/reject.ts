import { description, number, pipe, strictObject, string } from 'valibot';
import { mutation } from '#core/define.ts';
import { Reason, TaskId } from '#core/model/scalars.ts';
import { Timestamp } from '#tasks/model/task.ts';
import { afterFailure } from '../../rules/gates.ts';
import { Judge, judgeErrors, judgement, pass } from '../shared/judge.ts';

export const validatorReject = mutation({
  name: 'validator.reject',
  summary: "Send another's work back: the next round begins, and no gate holds any more",
  params: strictObject({
    taskId: pipe(TaskId, description('The task')),
    reason: pipe(Reason, description('What is missing, for whoever takes it up')),
    agent: Judge,
  }),
  result: strictObject({
    verdict: strictObject({ taskId: string(), verdict: string(), by: string(), at: Timestamp, reason: string(), round: number() }),
  }),
  errors: judgeErrors,
  tier: 2,
  cli: { command: 'validator reject', args: ['taskId', 'reason'] },
  example: {
    world: ['T001', 'gate T001 implemented by ada'],
    call: { taskId: 'T001', reason: 'Quoted fields are not read' },
  },
  async run(ctx, { taskId, agent, reason }) {
    // There has to be something to judge.
    const { by, standing } = await judgement(ctx, { taskId, agent, verdict: 'rejected', needs: 'testsPassed' });
    const rounds = afterFailure(standing.rounds);
    const verdict = await pass(ctx, standing, { verdict: 'rejected' as const, by, at: ctx.now, reason }, rounds);
    return { verdict: { ...verdict, round: rounds.round } };
  },
});
