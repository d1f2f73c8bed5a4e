import { array, description, maxLength, metadata, number, optional, pipe, strictObject, string } from 'valibot';
import { CleoError } from '#core/errors/error.ts';
import { wholeNumber } from '#core/model/whole-number.ts';
import '../../errors.ts';
import { type JobContext, job } from '#core/define.ts';
import { evidenceGateNames } from '#core/model/config.ts';
import { type GateName, GateNameSchema, type TaskId, TaskIdSchema } from '#core/model/scalars.ts';
import { defined } from '#lib/defined.ts';
import { findNearest } from '#lib/nearest.ts';
import type { ReadStore } from '#store/port/store.ts';
import { checkScope } from '#tasks/operations/shared/scope.ts';
import { requireTaskOrFocus } from '#tasks/operations/shared/task-transitions.ts';
import { type GateAttempt, type GateEvidence, GateEvidenceSchema } from '../../model/verification.ts';
import { type EvidenceClaim, parseEvidence } from '../../rules/evidence.ts';
import { findObserverProblem, getGatePolicy, opensGate } from '../../rules/gate-policy.ts';
import { checkGateOrder, checkIndependent, clearVerdict, failRound, findNextGate } from '../../rules/gates.ts';
import { createEvidenceError } from '../shared/evidence-error.ts';
import { EvidenceRejected, examineEvidence, findFormProblem, type SubmissionContext, toClaimed } from '../shared/examine-evidence.ts';
import { findObserver, recordAttempt, requireVerifiable, resolveAgent, type VerificationState } from '../shared/verification.ts';

export const verifyGate = job({
  name: 'verify.gate',
  summary: 'Submit evidence for a gate of a task and check it',
  params: strictObject({
    taskId: optional(pipe(TaskIdSchema, description('The task; default: the focused one'))),
    gate: pipe(string(), metadata({ choices: [...evidenceGateNames] }), description('The gate; gates are passed in this order')),
    evidence: pipe(
      string(),
      maxLength(100_000, 'must have at most 100000 characters'),
      description('commit:<sha>, files:<a,b>, tool:<name>, test-run:<file>, run:<id>; separate several with ;'),
      metadata({ form: 'commit:SHA|files:A,B|tool:NAME|run:ID' }),
    ),
    agent: optional(pipe(string(), description('Agent that submits it; default: you'))),
    round: optional(pipe(wholeNumber({ min: 1 }), description('Fail if the task is in another round'))),
  }),
  result: strictObject({
    verification: strictObject({
      taskId: string(),
      gate: GateNameSchema,
      round: number(),
      by: string(),
      evidence: array(GateEvidenceSchema),
      next: optional(GateNameSchema),
    }),
  }),
  errors: [
    'E_NOT_FOUND',
    'E_FOCUS_REQUIRED',
    'E_TASK_CLAIMED',
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
  tier: 0,
  runsOn: 'both',
  cli: {
    command: 'verify',
    args: ['taskId'],
    select: 'gate',
    selectedBy: ['evidence', 'round'],
    view: async () => (await import('../../view.ts')).verificationView,
  },
  example: {
    world: ['T001 evidence implemented', 'construct'],
    call: { taskId: 'T001', gate: 'implemented', evidence: 'files:construct.yaml' },
  },
  async run(ctx, { taskId, gate: name, evidence: text, agent, round }) {
    const gate = requireGate(ctx, name);
    const config = ctx.config();
    const policy = getGatePolicy(config);
    const claims = parseEvidence(text);
    // Finding the runs of a task reads the whole log.
    const needsRuns = claims.some(({ kind }) => kind === 'run' || kind === 'test-run');
    const { before, baseline, loggedRuns } = await ctx.read(async (store) => {
      const checked = await checkRequest(ctx, store, { taskId, gate, agent, round });
      const { id } = checked.task;
      return { before: checked, baseline: await store.gates.getBaseline(id), loggedRuns: needsRuns ? await store.audit.listRuns(id) : [] };
    });
    const { task } = before;
    const { platform, project, signal } = ctx;
    const submission = { platform, project, config, task, gate, policy, baseline, loggedRuns, signal };
    const observer = await findObserver(ctx);
    const foreign = findObserverProblem(config, gate, observer);
    const createError = (problem: string, details: object = {}, hasToolFailed = false): Promise<CleoError> =>
      createEvidenceError(ctx, { ...submission, taskId: task.id, problem, details, hasToolFailed });
    const invalid = findFormProblem(submission, claims);
    if (invalid) throw await createError(invalid.problem, invalid.details);

    // A tool may run for minutes, so evidence is examined outside the transaction and the request is checked again inside it.
    const { evidence, rejected } = foreign
      ? { evidence: claims.map((claim) => toClaimed(submission, claim, foreign)) }
      : await examine(submission, claims);
    const isPassed = !rejected && opensGate(policy, gate, evidence);
    // Nothing ran, so there is nothing to record. The log has the call.
    if (rejected && !rejected.hasRun) throw await createError(rejected.message, rejected.details);
    const held = await ctx.write(async (store) => {
      const now = await checkRequest(ctx, store, { taskId: task.id, gate, agent, round: before.rounds.round });
      const attempt: GateAttempt = { gate, round: now.rounds.round, passed: isPassed, evidence, by: now.by, at: ctx.now, observer };
      await store.claims.renew({ ...ctx.caller, agent: now.by }, ctx.now);
      const rounds = isPassed ? clearVerdict(now.rounds) : rejected ? failRound(now.rounds) : now.rounds;
      return recordAttempt(store, now, attempt, rounds);
    });
    if (rejected) throw await createError(rejected.message, rejected.details, true);
    if (!isPassed) throw await createError(`${formatProblems(evidence)}; it is stored as claimed`, {}, foreign !== undefined);
    const next = findNextGate(held, task.acceptance, config['verification.required']);
    return { verification: { taskId: task.id, gate, round: before.rounds.round, by: before.by, evidence, ...defined({ next }) } };
  },
});

const formatProblems = (evidence: GateEvidence[]): string =>
  [...new Set(evidence.flatMap((each) => (each.kind === 'claimed' ? each.problem : [])))].join('; ');

/** Examines the evidence, unless none of it can open the gate. What does not open it is stored as the caller wrote it. */
async function examine(
  submission: SubmissionContext,
  claims: EvidenceClaim[],
): Promise<{ evidence: GateEvidence[]; rejected?: EvidenceRejected }> {
  const { policy, gate } = submission;
  if (!opensGate(policy, gate, claims)) return { evidence: claims.map((claim) => toClaimed(submission, claim)) };
  try {
    const evidence = await examineEvidence(submission, claims);
    if (opensGate(policy, gate, evidence)) return { evidence };
    return { evidence: evidence.map((each, i) => (each.kind === 'claimed' ? each : toClaimed(submission, claims[i]!))) };
  } catch (error) {
    if (!(error instanceof EvidenceRejected)) throw error;
    const text = claims.map((claim) => claim.text).join('; ');
    return { evidence: [{ kind: 'failed', text: text.slice(0, 1000), problem: error.message }], rejected: error };
  }
}

function requireGate({ commandWith }: JobContext, name: string): GateName {
  const found = evidenceGateNames.find((gate) => gate === name);
  if (found) return found;
  const [near] = findNearest(name, [...evidenceGateNames]);
  throw new CleoError('E_INVALID_GATE', {
    gate: name.slice(0, 60),
    valid: evidenceGateNames,
    fix: commandWith({ gate: near ?? evidenceGateNames[0] }),
  });
}

interface EvidenceRequest {
  taskId: TaskId | undefined;
  gate: GateName;
  agent: string | undefined;
  round: number | undefined;
}

/** Checks that the agent may submit evidence for this gate now. */
async function checkRequest(
  ctx: JobContext,
  store: ReadStore,
  { taskId, gate, agent, round }: EvidenceRequest,
): Promise<VerificationState & { by: string }> {
  const { caller, commandWith } = ctx;
  const config = ctx.config();
  const by = await resolveAgent(store, { caller, config }, agent, commandWith({ agent: undefined }));
  const found = await requireTaskOrFocus({ ...ctx, store, config, caller: { ...caller, agent: by } }, taskId, 'verify');
  await checkScope({ ...ctx, store }, found.id);
  const state = await requireVerifiable(store, found.id);
  const { rounds, held, task } = state;
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
  if (gate === 'qaPassed') checkIndependent(task.id, await store.gates.listWorkers(task.id), by, caller.agent);
  return { ...state, by };
}
