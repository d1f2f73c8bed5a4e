import { description, optional, pipe, strictObject, string } from 'valibot';
import { CleoError } from '#core/errors/error.ts';
import '../../errors.ts';
import { mutation, noChange } from '#core/define.ts';
import { Reason, TaskId } from '#core/model/scalars.ts';
import { Timestamp } from '#tasks/model/task.ts';
import { afterEvidence } from '../../rules/gates.ts';
import { Judge, judgeErrors, judgement, pass } from '../shared/judge.ts';
import { staleGates } from '../shared/verification.ts';

export const validatorAttest = mutation({
  name: 'validator.attest',
  summary: "Judge another's work as done: its evidence bears out the criteria",
  params: strictObject({
    taskId: pipe(TaskId, description('The task')),
    reason: optional(pipe(Reason, description('What convinced you'))),
    agent: Judge,
  }),
  result: strictObject({
    verdict: strictObject({ taskId: string(), verdict: string(), by: string(), at: Timestamp, reason: optional(string()) }),
  }),
  errors: [...judgeErrors, 'E_EVIDENCE_STALE'],
  tier: 2,
  cli: { command: 'validator attest', args: ['taskId'] },
  example: {
    world: ['T001 evidence qaPassed', 'gate T001 implemented by ada', 'gate T001 testsPassed by ada'],
    call: { taskId: 'T001', reason: 'Every form of the grammar is tested' },
  },
  async run(ctx, { taskId, agent, reason }) {
    const { now } = ctx;
    const { by, standing, isRepeated } = await judgement(ctx, { taskId, agent, verdict: 'attested', needs: 'qaPassed' });
    const verdict = { verdict: 'attested' as const, by, at: now, ...(reason ? { reason } : {}) };
    if (isRepeated) return noChange({ verdict: { taskId, ...(standing.rounds.verdict ?? verdict) } });
    const stale = (await staleGates(ctx, taskId, standing.held)).map(({ gate, files }) => ({ gate, files }));
    if (stale.length > 0) throw new CleoError('E_EVIDENCE_STALE', { taskId, stale, fix: `cleo validator pull ${taskId}` });
    return { verdict: await pass(ctx, standing, verdict, afterEvidence(standing.rounds)) };
  },
});
