import { description, number, pipe, strictObject, string } from 'valibot';
import { Reason, TaskId } from '../../model/scalars.ts';
import { Timestamp } from '../../model/task.ts';
import { afterFailure } from '../../rules/gates.ts';
import { mutation } from '../define.ts';
import { record } from '../verify/verification.ts';
import { Judge, judgement } from './judge.ts';

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
  errors: [
    'E_NOT_FOUND',
    'E_TASK_NOT_IN_SCOPE',
    'E_VERIFICATION_INIT_FAILED',
    'E_VERIFICATION_LOCKED',
    'E_INVALID_AGENT',
    'E_CIRCULAR_VALIDATION',
    'E_GATE_DEPENDENCY',
  ],
  tier: 2,
  cli: { command: 'validator reject', args: ['taskId', 'reason'] },
  example: {
    world: ['T001', 'gate T001 implemented by ada'],
    call: { taskId: 'T001', reason: 'Quoted fields are not read' },
  },
  async run(here, { taskId, agent, reason }) {
    const { store, now } = here;
    // There has to be something to judge.
    const { by, standing } = await judgement(here, { taskId, agent, verdict: 'rejected', needs: 'testsPassed' });
    const verdict = { verdict: 'rejected' as const, by, at: now, reason };
    const attempt = {
      gate: 'qaPassed' as const,
      round: standing.rounds.round,
      passed: false,
      evidence: [{ kind: 'verdict' as const, verdict: verdict.verdict, reason }],
      by,
      at: now,
    };
    const rounds = { ...afterFailure(standing.rounds), verdict };
    await record(store, standing, attempt, rounds);
    return { verdict: { taskId, ...verdict, round: rounds.round } };
  },
});
