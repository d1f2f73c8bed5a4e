import { answer, type MutationContext, mutation } from '#core/define.ts';
import { quote } from '#core/errors/catalog.ts';
import { CleoError } from '#core/errors/error.ts';
import { evidenceGateNames } from '#core/model/config.ts';
import { type GateName, GateNameSchema, type TaskId, TaskIdSchema } from '#core/model/scalars.ts';
import { wholeNumber } from '#core/model/whole-number.ts';
import { defined } from '#lib/collections.ts';
import { findNearest } from '#lib/nearest.ts';
import { checkScope } from '#tasks/operations/shared/scope.ts';
import { requireTaskOrFocus } from '#tasks/operations/shared/task-transitions.ts';
import '../../errors.ts';
import { array, description, maxLength, metadata, number, optional, pipe, strictObject, string } from 'valibot';
import { type GateAttempt, type GateEvidence, GateEvidenceSchema } from '../../model/verification.ts';
import { type EvidenceClaim, findObservedProblem, parseEvidence } from '../../rules/evidence.ts';
import { findObserverProblem, type GatePolicy, getGatePolicy, opensGate } from '../../rules/gate-policy.ts';
import { checkGateOrder, checkIndependent, clearVerdict, failRound, findNextGate } from '../../rules/gates.ts';
import { createEvidenceError } from '../shared/evidence-error.ts';
import { type EvidenceFacts, evidenceFacts } from '../shared/evidence-facts.ts';
import { toClaimed } from '../shared/examine-evidence.ts';
import { findObserver, recordAttempt, requireVerifiable, resolveAttester, type VerificationState } from '../shared/verification.ts';

export const verifyGate = mutation({
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
    agent: optional(pipe(string(), description('Agent that submits it; default: you'), metadata({ isRare: true }))),
    round: optional(pipe(wholeNumber({ min: 1 }), description('Fail if the task is in another round'), metadata({ isRare: true }))),
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
  observes: [evidenceFacts],
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
    const { store, config } = ctx;
    const gate = requireGate(ctx, name);
    const policy = getGatePolicy(config);
    const claims = parseEvidence(text);
    // A result of a round that was closed while a tool ran does not count in the next one.
    const observed = [...(ctx.observed?.values() ?? [])].find(({ name }) => name === evidenceFacts.name)?.request as
      | { round: number }
      | undefined;
    const state = await checkRequest(ctx, { taskId, gate, agent, round: round ?? observed?.round });
    const { task, rounds, by } = state;
    const observer = await findObserver(ctx);
    const foreign = findObserverProblem(config, gate, observer);
    // Finding the runs of a task reads the whole log.
    const needsRuns = claims.some(({ kind }) => kind === 'run' || kind === 'test-run');
    const loggedRuns = needsRuns ? await store.audit.listRuns(task.id) : [];
    const facts = await ctx.getFacts(evidenceFacts, {
      task: { id: task.id, createdAt: task.createdAt },
      gate,
      round: rounds.round,
      evidence: text,
      policy: policy as never,
      ...defined({ baseline: await store.gates.getBaseline(task.id) }),
      loggedRuns,
      isExamined: foreign === undefined,
    });
    const createError = (problem: string, details: object = {}, hasToolFailed = false): Promise<CleoError> =>
      createEvidenceError(ctx, { taskId: task.id, gate, policy, facts, problem, details, hasToolFailed });
    const { invalid, rejected } = facts;
    const mismatch = facts.evidence && findObservedProblem(claims, facts.evidence, loggedRuns);
    if (mismatch) throw new CleoError('E_VALIDATION', { field: 'facts', problem: mismatch, fix: 'cleo version' });
    if (invalid) throw await createError(`${invalid.problem}${explainServerTool(ctx, invalid.details)}`, invalid.details);
    // Nothing ran, so there is nothing to record. The log has the call.
    if (rejected && !rejected.hasRun) throw await createError(rejected.problem, rejected.details);
    const evidence = selectEvidence(facts, { claims, policy, gate, foreign });
    const isPassed = !rejected && opensGate(policy, gate, evidence);
    const attempt: GateAttempt = { gate, round: rounds.round, passed: isPassed, evidence, by, at: ctx.now, observer };
    await store.claims.renew({ ...ctx.caller, agent: by }, ctx.now);
    const held = await recordAttempt(store, state, attempt, isPassed ? clearVerdict(rounds) : rejected ? failRound(rounds) : rounds);
    const next = isPassed ? findNextGate(held, task.acceptance, config['verification.required']) : undefined;
    const failAfterSave = rejected
      ? await createError(rejected.problem, rejected.details, true)
      : isPassed
        ? undefined
        : await createError(`${formatProblems(evidence)}; it is stored as claimed`, {}, foreign !== undefined);
    const verification = { taskId: task.id, gate, round: rounds.round, by, evidence, ...defined({ next }) };
    return answer({ verification }, defined({ failAfterSave }));
  },
});

const formatProblems = (evidence: GateEvidence[]): string =>
  [...new Set(evidence.flatMap((each) => (each.kind === 'claimed' ? each.problem : [])))].join('; ');

interface Submission {
  claims: EvidenceClaim[];
  policy: GatePolicy;
  gate: GateName;
  /** The reason why evidence of this caller does not count. */
  foreign: string | undefined;
}

/** Returns the evidence to store. What does not open the gate is stored as the caller wrote it. */
function selectEvidence({ evidence, rejected }: EvidenceFacts, { claims, policy, gate, foreign }: Submission): GateEvidence[] {
  if (rejected)
    return [
      {
        kind: 'failed',
        text: claims
          .map(({ text }) => text)
          .join('; ')
          .slice(0, 1000),
        problem: rejected.problem,
      },
    ];
  if (!evidence || foreign !== undefined) return claims.map((claim) => toClaimed({ policy, gate }, claim, foreign));
  if (opensGate(policy, gate, evidence)) return evidence;
  return evidence.map((each, i) => (each.kind === 'claimed' ? each : toClaimed({ policy, gate }, claims[i]!)));
}

function requireGate({ commandWith }: MutationContext, name: string): GateName {
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
  ctx: MutationContext,
  { taskId, gate, agent, round }: EvidenceRequest,
): Promise<VerificationState & { by: string }> {
  const { store, caller, config, commandWith } = ctx;
  const by = await resolveAttester(store, { caller, config }, agent, commandWith({ agent: undefined }));
  const found = await requireTaskOrFocus({ ...ctx, caller: { ...caller, agent: by } }, taskId, 'verify');
  await checkScope(ctx, found.id);
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

/** A client runs only the commands of its own checkout, so the one of the server is no command for it until its user sets it. */
function explainServerTool({ token, config }: MutationContext, { newTool }: Record<string, unknown> = {}): string {
  const key = `verification.tools.${String(newTool)}` as const;
  const command = token?.isClient && newTool !== undefined ? config[key] : undefined;
  return command === undefined
    ? ''
    : ` in this checkout; that of the server does not run on clients: cleo config set ${key} ${quote(JSON.stringify(command))}`;
}
