import { array, description, integer, maxLength, metadata, minValue, number, optional, pipe, strictObject, string } from 'valibot';
import { CleoError } from '#core/errors/error.ts';
import '../../errors.ts';
import { type JobContext, job } from '#core/define.ts';
import { Gate, TaskId } from '#core/model/scalars.ts';
import { nearest } from '#lib/nearest.ts';
import type { ReadStore } from '#store/port.ts';
import { namedOrFocused } from '#tasks/operations/shared/moves.ts';
import { checkScope } from '#tasks/operations/shared/scope.ts';
import { type Attempt, Evidence, gateNames } from '../../model/verification.ts';
import { claimsIn, evidenceForms } from '../../rules/evidence.ts';
import { afterEvidence, afterFailure, checkGateOrder, checkIndependent, nextGate } from '../../rules/gates.ts';
import { checkForms, examine, NotHeld } from '../shared/examine.ts';
import { record, type Standing, speaker, verifiable } from '../shared/verification.ts';

export const verifyGate = job({
  name: 'verify.gate',
  summary: 'Bring evidence for a gate of a task; it is checked, not believed',
  params: strictObject({
    taskId: optional(pipe(TaskId, description('The task; without it the focused one'))),
    gate: pipe(string(), metadata({ choices: [...gateNames] }), description('Which gate; they are passed in this order')),
    evidence: pipe(
      string(),
      maxLength(100_000, 'must have at most 100000 characters'),
      description('commit:<sha>, files:<a,b>, tool:<name>, test-run:<path or JSON>, run:<id>; several with ; between'),
    ),
    agent: optional(pipe(string(), description('Who brings it; you, unless you say otherwise'))),
    round: optional(
      pipe(number(), integer('must be a whole number'), minValue(1, 'must be at least 1'), description('The round it is meant for')),
    ),
  }),
  result: strictObject({
    verification: strictObject({
      taskId: string(),
      gate: Gate,
      round: number(),
      by: string(),
      evidence: array(Evidence),
      next: optional(Gate),
    }),
  }),
  errors: [
    'E_NOT_FOUND',
    'E_FOCUS_REQUIRED',
    'E_TASK_NOT_IN_SCOPE',
    'E_VERIFICATION_INIT_FAILED',
    'E_GATE_UPDATE_FAILED',
    'E_INVALID_GATE',
    'E_INVALID_AGENT',
    'E_MAX_ROUNDS_EXCEEDED',
    'E_GATE_DEPENDENCY',
    'E_VERIFICATION_LOCKED',
    'E_ROUND_MISMATCH',
    'E_CIRCULAR_VALIDATION',
    'E_DEPENDENCY_ERROR',
  ],
  tier: 1,
  cli: { command: 'verify', args: ['taskId'], select: 'gate', selectedBy: ['evidence', 'round'] },
  example: {
    world: ['T001 evidence implemented'],
    call: { taskId: 'T001', gate: 'implemented', evidence: 'test-run:{"passed":3,"failed":0}' },
  },
  async run(ctx, { taskId, gate: name, evidence: text, agent, round }) {
    const gate = gateNamed(ctx, name);
    const config = ctx.config();
    const before = await ctx.read((store) => admit(ctx, store, { taskId, gate, agent, round }));
    const { id } = before.task;
    const refuse = (problem: string, more: object = {}): CleoError =>
      new CleoError('E_GATE_UPDATE_FAILED', {
        taskId: id,
        gate,
        problem,
        forms: evidenceForms(config['verification.allowNotes']),
        ...more,
      });
    const claimed = claimsIn(text);
    const place = { platform: ctx.platform, project: ctx.project, config, taskId: id };
    checkForms(place, claimed, refuse);

    // Tools may run for long: nobody waits for the lock meanwhile, and what was true before is asked again.
    let evidence: Evidence[];
    let problem: NotHeld | undefined;
    try {
      evidence = await examine(place, claimed);
    } catch (error) {
      if (!(error instanceof NotHeld)) throw error;
      problem = error;
      evidence = [{ kind: 'failed', text: text.slice(0, 1000), problem: error.message }];
    }
    const held = await ctx.write(async (store) => {
      const now = await admit(ctx, store, { taskId: id, gate, agent, round: before.rounds.round });
      const attempt: Attempt = { gate, round: now.rounds.round, passed: !problem, evidence, by: now.by, at: ctx.now };
      await store.claims.renew({ ...ctx.caller, agent: now.by }, ctx.now);
      return record(store, now, attempt, problem ? afterFailure(now.rounds) : afterEvidence(now.rounds));
    });
    if (problem) throw refuse(problem.message, problem.more);
    const next = nextGate(held, before.task.acceptance, config['verification.required']);
    return { verification: { taskId: id, gate, round: before.rounds.round, by: before.by, evidence, ...(next ? { next } : {}) } };
  },
});

function gateNamed({ commandWith }: JobContext, name: string): Gate {
  const found = gateNames.find((gate) => gate === name);
  if (found) return found;
  const [near] = nearest(name, [...gateNames]);
  throw new CleoError('E_INVALID_GATE', { gate: name.slice(0, 60), valid: gateNames, fix: commandWith({ gate: near ?? gateNames[0] }) });
}

interface Asked {
  taskId: TaskId | undefined;
  gate: Gate;
  agent: string | undefined;
  round: number | undefined;
}

/** Whether this evidence may be brought at all, as things stand in this transaction. */
async function admit(ctx: JobContext, store: ReadStore, { taskId, gate, agent, round }: Asked): Promise<Standing & { by: string }> {
  const { caller, commandWith } = ctx;
  const config = ctx.config();
  const by = await speaker(store, { caller, config }, agent, commandWith({ agent: undefined }));
  const found = await namedOrFocused({ ...ctx, store, config, caller: { ...caller, agent: by } }, taskId, 'verify');
  await checkScope({ ...ctx, store }, found.id);
  const standing = await verifiable(store, found.id);
  const { rounds, held, task } = standing;
  if (rounds.failed >= config['verification.maxRounds'])
    throw new CleoError('E_MAX_ROUNDS_EXCEEDED', { taskId: task.id, failed: rounds.failed });
  if (round !== undefined && round !== rounds.round)
    throw new CleoError('E_ROUND_MISMATCH', {
      taskId: task.id,
      round: rounds.round,
      given: round,
      fix: commandWith({ round: rounds.round }),
    });
  checkGateOrder(task.id, held, gate);
  if (gate === 'qaPassed') checkIndependent(task.id, await store.gates.workers(task.id), by, caller.agent);
  return { ...standing, by };
}
