import type { MutationContext, QueryContext } from '#core/define.ts';
import { commandLine } from '#core/errors/catalog.ts';
import { CleoError } from '#core/errors/error.ts';
import { anonymousToken } from '#core/model/anonymous-token.ts';
import type { Caller } from '#core/model/audit.ts';
import { type Config, evidenceGateNames } from '#core/model/config.ts';
import { AgentId, type GateName, type TaskId } from '#core/model/scalars.ts';
import { defined } from '#lib/collections.ts';
import type { ReadStore, WriteStore } from '#store/port/store.ts';
import type { TaskRecord } from '#tasks/model/task.ts';
import { fileDigests } from '#tasks/operations/shared/file-digests.ts';
import { requireTask } from '#tasks/operations/shared/require.ts';
import type { TaskProblem } from '#tasks/rules/integrity.ts';
import '../../errors.ts';
import { is } from 'valibot';
import type { GateAttempt, GateView, Observer, RoundState } from '../../model/verification.ts';
import { formatEvidence, listEvidenceFiles } from '../../rules/evidence.ts';
import { getGatePolicy } from '../../rules/gate-policy.ts';
import {
  checkVerifiable,
  findHeldGates,
  findMissingGates,
  firstRound,
  type HeldGates,
  resetRounds,
  updateBoundCriteria,
} from '../../rules/gates.ts';

export interface VerificationState {
  task: TaskRecord;
  rounds: RoundState;
  attempts: GateAttempt[];
  held: HeldGates;
}

export async function readVerification(store: ReadStore, task: TaskRecord): Promise<VerificationState> {
  const attempts = await store.gates.listAttempts(task.id);
  return { task, attempts, held: findHeldGates(attempts), rounds: (await store.gates.getRounds(task.id)) ?? firstRound };
}

/** Reads the verification state of a task; throws if the task cannot take evidence. */
export async function requireVerifiable(store: ReadStore, taskId: TaskId): Promise<VerificationState> {
  const task = await requireTask(store, taskId);
  const children = await store.tasks.listChildren(taskId);
  checkVerifiable(
    task,
    children.filter(({ status }) => status !== 'done').map(({ id }) => id),
  );
  return readVerification(store, task);
}

/** Returns the agent that acts: the caller, or the named agent if the project knows it. */
export async function resolveAttester(
  store: ReadStore,
  { caller, config }: { caller: Caller; config: Config },
  named: string | undefined,
  ownName: string,
): Promise<string> {
  if (named === undefined || named === caller.agent) return caller.agent;
  const createError = (problem: string): CleoError =>
    new CleoError('E_INVALID_AGENT', { agent: named.slice(0, 100), problem, fix: ownName });
  if (!is(AgentId, named)) throw createError('is not an agent name: use at most 100 letters, digits and . _ : @ / -');
  if (config.agents.includes(named) || (await store.gates.isKnownAgent(named))) return named;
  const unknown = createError('is not a known agent of this project');
  const agents = [...config.agents, named].join(',');
  unknown.alternatives.push({
    action: 'Add it to the known agents',
    command: commandLine(['cleo', 'config', 'set', 'agents', ...(agents.startsWith('-') ? ['--'] : []), agents]),
  });
  throw unknown;
}

/** Returns the name of the caller's token. Over HTTP a caller without one has a name too, which proves nothing. */
export const getTokenName = (token: QueryContext['token']): string | undefined =>
  token?.name === anonymousToken ? undefined : token?.name;

/** Identifies this process as the observer of evidence. */
export async function findObserver({ platform, caller, token }: Pick<QueryContext, 'platform' | 'caller' | 'token'>): Promise<Observer> {
  return { host: (await platform.loadProcesses()).getHost(), ...defined({ process: caller.process, token: getTokenName(token) }) };
}

/** Stores an attempt and the round, and updates the criteria that are bound to gates. */
export async function recordAttempt(
  store: WriteStore,
  { task, attempts }: VerificationState,
  attempt: GateAttempt,
  rounds: RoundState,
): Promise<HeldGates> {
  await store.gates.addAttempt(task.id, attempt);
  await store.gates.saveRounds(task.id, rounds);
  const held = findHeldGates([...attempts, attempt]);
  await store.tasks.save(task, { ...task, acceptance: updateBoundCriteria(task.acceptance, held) });
  return held;
}

/** Starts a new round of a reopened task and clears all its gates. */
export async function resetVerification(
  { store, now, caller }: Pick<MutationContext, 'store' | 'now' | 'caller'>,
  task: TaskRecord,
): Promise<TaskRecord> {
  const rounds = resetRounds((await store.gates.getRounds(task.id)) ?? firstRound);
  const evidence = [{ kind: 'reopened' as const }];
  await store.gates.addAttempt(task.id, { gate: 'implemented', round: rounds.round, passed: false, evidence, by: caller.agent, at: now });
  await store.gates.saveRounds(task.id, rounds);
  return store.tasks.save(task, { ...task, acceptance: updateBoundCriteria(task.acceptance, new Map()) });
}

interface StaleGate {
  gate: GateName;
  files: string[];
  /** Command that submits the same evidence again, with the files that still exist. */
  fix: string;
}

/** Finds gates whose evidence files have changed in the caller's checkout. */
export async function findStaleGates(
  { config, getFacts }: Pick<QueryContext, 'config' | 'getFacts'>,
  taskId: TaskId,
  held: HeldGates,
): Promise<StaleGate[]> {
  const policy = getGatePolicy(config);
  const paths = listHeldPaths(held);
  if (paths.length === 0) return [];
  const digests = new Map((await getFacts(fileDigests, { paths })).map(({ path, sha256 }) => [path, sha256]));
  const stale: StaleGate[] = [];
  for (const [gate, { evidence }] of held) {
    const changed = listEvidenceFiles(evidence).flatMap(({ path, sha256 }) => (digests.get(path) === sha256 ? [] : [path]));
    if (changed.length === 0) continue;
    const current = formatEvidence(policy, gate, evidence, (path) => digests.get(path) !== undefined);
    const words = current ? ['--gate', gate, '--evidence', current] : [];
    stale.push({ gate, files: changed, fix: commandLine(['cleo', 'verify', taskId, ...words]) });
  }
  return stale;
}

const listHeldPaths = (held: HeldGates): string[] => [
  ...new Set([...held.values()].flatMap(({ evidence }) => listEvidenceFiles(evidence).map(({ path }) => path))),
];

/** Throws unless every gate that completion needs holds evidence and no evidence file has changed. */
export async function checkEvidence(
  ctx: Pick<QueryContext, 'config' | 'getFacts'>,
  { id: taskId, acceptance }: TaskRecord,
  attempts: GateAttempt[],
  isAllRequired: boolean,
): Promise<void> {
  const held = findHeldGates(attempts);
  // Stale gates are reported first, because submitting their evidence again clears the later gates.
  const stale = await findStaleGates(ctx, taskId, held);
  if (stale[0])
    throw new CleoError('E_EVIDENCE_STALE', { taskId, stale: stale.map(({ gate, files }) => ({ gate, files })), fix: stale[0].fix });
  const missing = findMissingGates(acceptance, held, isAllRequired);
  if (missing.length > 0) throw new CleoError('E_GATE_DEPENDENCY', { taskId, missing });
}

/** Reports changed evidence files of all tasks that are not done. */
export async function findStaleEvidence(ctx: Pick<QueryContext, 'store' | 'config' | 'getFacts'>): Promise<TaskProblem[]> {
  const problems: TaskProblem[] = [];
  const open = [...(await ctx.store.gates.listOpenAttempts())];
  // All at once, so that they are observed together.
  const found = await Promise.all(open.map(([taskId, attempts]) => findStaleGates(ctx, taskId, findHeldGates(attempts))));
  for (const [i, [taskId]] of open.entries())
    for (const { gate, files, fix } of found[i] ?? [])
      problems.push({
        kind: 'stale-evidence',
        severity: 'warning',
        taskId,
        message: `${taskId}: evidence files for ${gate} have changed: ${files.slice(0, 5).join(', ')}${files.length > 5 ? ' …' : ''}`,
        fix,
      });
  return problems;
}

export function toGateViews(held: HeldGates, stale: StaleGate[]): GateView[] {
  return evidenceGateNames.map((gate): GateView => {
    const attempt = held.get(gate);
    if (!attempt) return { gate };
    const { by, at, evidence, observer } = attempt;
    const changed = stale.find((each) => each.gate === gate);
    return { gate, isHeld: true, by, at, evidence, ...defined({ observer, stale: changed?.files }) };
  });
}
