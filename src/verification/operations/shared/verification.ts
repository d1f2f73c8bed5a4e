import { is } from 'valibot';
import { CleoError } from '#core/errors/error.ts';
import '../../errors.ts';
import { commandLine } from '#core/errors/quote.ts';
import type { Caller } from '#core/model/audit.ts';
import type { Config } from '#core/model/config.ts';
import { AgentId, type Gate, type TaskId } from '#core/model/scalars.ts';
import type { ReadStore, WriteStore } from '#store/port.ts';
import type { TaskRecord } from '#tasks/model/task.ts';
import { requireTask } from '#tasks/operations/shared/require.ts';
import { type Attempt, type GateView, gateNames, type Rounds } from '../../model/verification.ts';
import { evidenceText, filesIn } from '../../rules/evidence.ts';
import { checkVerifiable, firstRound, type Held, heldGates, withGates } from '../../rules/gates.ts';
import type { Place } from './examine.ts';

export interface Standing {
  task: TaskRecord;
  rounds: Rounds;
  attempts: Attempt[];
  held: Held;
}

export async function standingOf(store: ReadStore, task: TaskRecord): Promise<Standing> {
  const attempts = await store.gates.of(task.id);
  return { task, attempts, held: heldGates(attempts), rounds: (await store.gates.rounds(task.id)) ?? firstRound };
}

/** The task and where it stands; refuses one that takes no evidence. */
export async function verifiable(store: ReadStore, taskId: TaskId): Promise<Standing> {
  const task = await requireTask(store, taskId);
  const children = await store.tasks.children(taskId);
  checkVerifiable(
    task,
    children.filter(({ status }) => status !== 'done').map(({ id }) => id),
  );
  return standingOf(store, task);
}

/** Who speaks: the agent that the call names, which has to be one that is known here, or the caller. */
export async function speaker(
  store: ReadStore,
  { caller, config }: { caller: Caller; config: Config },
  named: string | undefined,
  ownName: string,
): Promise<string> {
  if (named === undefined || named === caller.agent) return caller.agent;
  const refuse = (problem: string): CleoError => new CleoError('E_INVALID_AGENT', { agent: named.slice(0, 100), problem, fix: ownName });
  if (!is(AgentId, named)) throw refuse('is no name of an agent: letters, digits and . _ : @ / -, at most 100');
  if (config.agents.includes(named) || (await store.gates.isKnown(named))) return named;
  const unknown = refuse('has never been heard of here');
  unknown.alternatives.push({ action: 'Make it known', command: `cleo config set agents ${[...config.agents, named].join(',')}` });
  throw unknown;
}

/** Writes down what came of it; criteria that are bound to gates follow. */
export async function record(store: WriteStore, { task, attempts }: Standing, attempt: Attempt, rounds: Rounds): Promise<Held> {
  await store.gates.add(task.id, attempt);
  await store.gates.keep(task.id, rounds);
  const held = heldGates([...attempts, attempt]);
  await store.tasks.save(task, { ...task, acceptance: withGates(task.acceptance, held) });
  return held;
}

export interface Stale {
  gate: Gate;
  files: string[];
  /** Shows the same again, as it is now, as far as it is still there. */
  fix: string;
}

/** Gates whose files are no longer what they were, in the checkout that the caller stands in. */
export async function staleGates({ platform, project }: Pick<Place, 'platform' | 'project'>, taskId: TaskId, held: Held): Promise<Stale[]> {
  const stale: Stale[] = [];
  for (const [gate, { evidence }] of held) {
    const files = filesIn(evidence);
    if (files.length === 0) continue;
    const tree = await platform.workingTree(project);
    const gone = new Set<string>();
    const changed: string[] = [];
    for (const { path, sha256 } of files) {
      const file = await platform.fileIn(project, tree, path, tree.folder);
      if (!file) gone.add(path);
      if (!file || platform.files.sha256(file.path) !== sha256) changed.push(path);
    }
    if (changed.length === 0) continue;
    const again = evidenceText(evidence, (path) => !gone.has(path));
    const words = again ? ['--gate', gate, '--evidence', again] : [];
    stale.push({ gate, files: changed, fix: commandLine(['cleo', 'verify', taskId, ...words]) });
  }
  return stale;
}

/** The gates as a caller sees them. */
export function gateViews(held: Held, stale: Stale[]): GateView[] {
  return gateNames.map((gate): GateView => {
    const attempt = held.get(gate);
    if (!attempt) return { gate };
    const { by, at, evidence } = attempt;
    const changed = stale.find((each) => each.gate === gate);
    return { gate, isHeld: true, by, at, evidence, ...(changed ? { stale: changed.files } : {}) };
  });
}
