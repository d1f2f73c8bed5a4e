import { mutation, noChange } from '#core/define.ts';
import { CleoError } from '#core/errors/error.ts';
import { TaskIdSchema } from '#core/model/scalars.ts';
import { Reason } from '#core/model/texts.ts';
import { defined } from '#lib/collections.ts';
import { fileDigests } from '#tasks/operations/shared/file-digests.ts';
import '../../errors.ts';
import { description, optional, pipe, strictObject, string } from 'valibot';
import { VerdictSchema } from '../../model/verification.ts';
import { clearVerdict } from '../../rules/gates.ts';
import { prepareVerdict, recordVerdict, ValidatorAgent, ValidatorSecret, verdictErrors } from '../shared/verdict.ts';
import { findStaleGates } from '../shared/verification.ts';

export const validatorAttest = mutation({
  name: 'validator.attest',
  summary: 'Attest that the evidence of a task meets its criteria',
  params: strictObject({
    taskId: pipe(TaskIdSchema, description('The task')),
    reason: optional(pipe(Reason, description('Why you attest it'))),
    agent: ValidatorAgent,
    secret: ValidatorSecret,
  }),
  result: strictObject({ verdict: strictObject({ taskId: string(), ...VerdictSchema.entries }) }),
  errors: [...verdictErrors, 'E_EVIDENCE_STALE'],
  scope: { scope: 'decide', when: 'for a person who judges without the secret of a spawn' },
  redactedParams: ['secret'],
  tier: 2,
  observes: [fileDigests],
  cli: { command: 'validator attest', args: ['taskId'] },
  example: {
    world: ['T001 evidence qaPassed', 'gate T001 implemented by ada', 'gate T001 testsPassed by ada'],
    call: { taskId: 'T001', reason: 'Every form of the grammar is tested' },
  },
  async run(ctx, params) {
    const { taskId, reason } = params;
    const prepared = await prepareVerdict(ctx, params, 'attested');
    const { by, state, independence } = prepared;
    const verdict = { verdict: 'attested' as const, by, at: ctx.now, ...defined({ reason, independence }) };
    if (independence === undefined) return noChange({ verdict: { taskId, ...(state.rounds.verdict ?? verdict) } });
    const stale = (await findStaleGates(ctx, taskId, state.held)).map(({ gate, files }) => ({ gate, files }));
    if (stale.length > 0) throw new CleoError('E_EVIDENCE_STALE', { taskId, stale, fix: `cleo validator pull ${taskId}` });
    return { verdict: await recordVerdict(ctx, prepared, verdict, clearVerdict(state.rounds)) };
  },
});
