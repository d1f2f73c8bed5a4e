import { CleoError } from '#core/errors/error.ts';
import '../errors.ts';
import type { TaskId } from '#core/model/scalars.ts';
import { type Enforcement, type Stage, type StageName, stageNames } from '../model/lifecycle.ts';

/** Lists all seven stages in order; stages without a record are pending. */
export const listStages = (known: Stage[]): Stage[] =>
  stageNames.map((stage) => known.find((each) => each.stage === stage) ?? { stage, status: 'pending' });

/** Returns the stage that work under a protocol belongs to; `implementation` for an unknown protocol. */
export function getProtocolStage(protocol: string): StageName {
  if (protocol === 'artifact-publish' || protocol === 'provenance') return 'release';
  return stageNames.find((stage) => stage === protocol) ?? 'implementation';
}

export const isOpenStage = ({ status }: Stage): boolean => status !== 'completed' && status !== 'skipped';

/** Finds stages before this one that are neither completed nor skipped. */
export function findMissingStages(known: Stage[], stage: StageName): StageName[] {
  return listStages(known)
    .slice(0, stageNames.indexOf(stage))
    .filter(isOpenStage)
    .map((each) => each.stage);
}

/** Checks that all earlier stages are completed or skipped: `strict` throws (80), `advisory` returns a warning, `off` does nothing. */
export function checkLifecycleGate(epicId: TaskId, known: Stage[], stage: StageName, mode: Enforcement): string[] {
  const missing = mode === 'off' ? [] : findMissingStages(known, stage);
  const [first] = missing;
  if (!first) return [];
  if (mode === 'advisory') return [`${epicId} enters ${stage} before ${missing.join(', ')}`];
  throw new CleoError('E_LIFECYCLE_GATE_FAILED', { epicId, stage, missing, first, last: missing.at(-1)!, legacyExitCode: 75 });
}

type StageMove = 'start' | 'complete' | 'skip' | 'fail' | 'reset';

/** Statuses a move may start from. A completed or skipped stage is reopened only by `reset`, and only an active one is completed. */
const allowedStatuses: Record<StageMove, Stage['status'][]> = {
  start: ['pending', 'failed'],
  complete: ['active'],
  skip: ['pending', 'active', 'failed'],
  fail: ['active'],
  reset: ['active', 'completed', 'skipped', 'failed'],
};

const fixCommands: Record<StageMove, (status: Stage['status']) => string> = {
  start: (status) => (status === 'active' ? 'status' : 'reset'),
  complete: (status) => (status === 'pending' || status === 'failed' ? 'start' : 'reset'),
  skip: () => 'reset',
  fail: (status) => (status === 'pending' || status === 'failed' ? 'start' : 'reset'),
  reset: () => 'status',
};

/** Throws (83) if the status of the stage does not allow the move. */
export function checkStageMove(epicId: TaskId, { stage, status }: Stage, move: StageMove): void {
  if (allowedStatuses[move].includes(status)) return;
  const command = fixCommands[move](status);
  throw new CleoError('E_LIFECYCLE_TRANSITION_INVALID', {
    epicId,
    stage,
    status,
    act: move,
    fix: `cleo lifecycle ${command} ${epicId}${command === 'status' ? '' : ` ${stage}`}`,
  });
}

export const provenanceForms = 'commit:<sha>, tag:<name> or artifact:<algorithm>:<digest>';
const provenancePattern =
  /^(commit:[0-9a-f]{7,64}|tag:(?!-)[\w./+-]{1,200}|artifact:(sha256:[0-9a-f]{64}|sha512:[0-9a-f]{128}|[0-9a-f]{64}))$/i;
export const isProvenance = (text: string): boolean => provenancePattern.test(text);

/** Lists the stages from `first` to `last`, both included; empty if `last` comes before `first`. */
export const listStagesBetween = (first: StageName, last: StageName): StageName[] =>
  stageNames.slice(stageNames.indexOf(first), stageNames.indexOf(last) + 1);
