import { CleoError } from '#core/errors/error.ts';
import '../errors.ts';
import type { TaskId } from '#core/model/scalars.ts';
import { type Enforcement, type Stage, type StageName, stageNames } from '../model/lifecycle.ts';

/** All seven stages in order; what nobody has touched is pending. */
export const allStages = (known: Stage[]): Stage[] =>
  stageNames.map((stage) => known.find((each) => each.stage === stage) ?? { stage, status: 'pending' });

/** The stage that work under a protocol belongs to. A protocol nobody knows is plain implementation. */
export function stageOf(protocol: string): StageName {
  if (protocol === 'artifact-publish' || protocol === 'provenance') return 'release';
  return stageNames.find((stage) => stage === protocol) ?? 'implementation';
}

/** Stages before this one that are neither completed nor skipped. */
export function missingBefore(known: Stage[], stage: StageName): StageName[] {
  return allStages(known)
    .slice(0, stageNames.indexOf(stage))
    .filter(({ status }) => status !== 'completed' && status !== 'skipped')
    .map((each) => each.stage);
}

/** Entering a stage needs all before it to be over. Strict refuses (80), advisory gives the warning, off says nothing. */
export function lifecycleGate(epicId: TaskId, known: Stage[], stage: StageName, mode: Enforcement): string[] {
  const missing = mode === 'off' ? [] : missingBefore(known, stage);
  const [first] = missing;
  if (!first) return [];
  if (mode === 'advisory') return [`${epicId} enters ${stage} before ${missing.join(', ')}`];
  throw new CleoError('E_LIFECYCLE_GATE_FAILED', { epicId, stage, missing, first, last: missing.at(-1)!, legacyExitCode: 75 });
}

type Move = 'start' | 'complete' | 'skip' | 'fail' | 'reset';

/** Which states a move starts from. What is over comes back only by `reset`; nothing is completed that was not begun. */
const from: Record<Move, Stage['status'][]> = {
  start: ['pending', 'failed'],
  complete: ['active'],
  skip: ['pending', 'active', 'failed'],
  fail: ['active'],
  reset: ['active', 'completed', 'skipped', 'failed'],
};

const wayTo: Record<Move, (status: Stage['status']) => string> = {
  start: (status) => (status === 'active' ? 'status' : 'reset'),
  complete: (status) => (status === 'pending' || status === 'failed' ? 'start' : 'reset'),
  skip: () => 'reset',
  fail: (status) => (status === 'pending' || status === 'failed' ? 'start' : 'reset'),
  reset: () => 'status',
};

/** Refuses (83) a move that the state of the stage does not allow. */
export function checkStageMove(epicId: TaskId, { stage, status }: Stage, move: Move): void {
  if (from[move].includes(status)) return;
  const way = wayTo[move](status);
  throw new CleoError('E_LIFECYCLE_TRANSITION_INVALID', {
    epicId,
    stage,
    status,
    act: move,
    fix: `cleo lifecycle ${way} ${epicId}${way === 'status' ? '' : ` ${stage}`}`,
  });
}

/** What a released thing can be traced to. */
export const provenanceForms = 'commit:<sha>, tag:<name> or artifact:<algorithm>:<digest>';
const provenance = /^(commit:[0-9a-f]{7,64}|tag:(?!-)[\w./+-]{1,200}|artifact:(sha256:[0-9a-f]{64}|sha512:[0-9a-f]{128}|[0-9a-f]{64}))$/i;
export const isProvenance = (text: string): boolean => provenance.test(text);

/** From this stage through that one, in order; empty where the second lies before the first. */
export const stagesThrough = (first: StageName, last: StageName): StageName[] =>
  stageNames.slice(stageNames.indexOf(first), stageNames.indexOf(last) + 1);
