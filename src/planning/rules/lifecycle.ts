import { commandLine } from '#core/errors/catalog.ts';
import { CleoError } from '#core/errors/error.ts';
import type { TaskId } from '#core/model/scalars.ts';
import { defined } from '#lib/collections.ts';
import '../errors.ts';
import { type Stage, type StageName, stageNames } from '../model/lifecycle.ts';
import { isLegalStageMove, type StageMove } from './stage-moves.ts';

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

/** The tasks of an epic that belong to one stage. */
export interface StageWork {
  done: TaskId[];
  open: TaskId[];
  /** Open tasks that an agent holds or was spawned for. */
  running: TaskId[];
}
export type EpicWork = ReadonlyMap<StageName, StageWork>;

const getWork = (work: EpicWork, stage: StageName): StageWork => work.get(stage) ?? noWork;
const noWork: StageWork = { done: [], open: [], running: [] };

/** Checks that a stage has tasks and that all of them are done. */
export function isStageWorkDone(work: EpicWork, stage: StageName): boolean {
  const { done, open } = getWork(work, stage);
  return done.length > 0 && open.length === 0;
}

/** Returns a reason for skipping a stage that is true: the tasks that are skipped with it. */
export function formatSkipReason(epicId: TaskId, { done, open }: StageWork = noWork): string {
  if (open.length > 0) return `Skipped while ${open.join(', ')} ${open.length > 1 ? 'are' : 'is'} open`;
  return done.length > 0 ? `Skipped after ${done.join(', ')}` : `No task of ${epicId} belongs to this stage`;
}

/** Suggests how to pass the gate without claiming anything false: the first missing stage is completed if its tasks are done, its open
 *  task is named if it has one, and otherwise it is skipped together with the missing stages after it that have no tasks either. */
export function suggestStageFix(epicId: TaskId, missing: StageName[], work: EpicWork): { fix: string; hint?: string } {
  const [first] = missing;
  if (!first) return { fix: `cleo lifecycle status ${epicId}` };
  const { open, running } = getWork(work, first);
  const free = open.find((id) => !running.includes(id));
  if (isStageWorkDone(work, first))
    return { fix: `cleo lifecycle complete ${epicId} ${first}`, hint: `the tasks of ${first} are done, but the stage is not completed` };
  if (free) return { fix: `cleo orchestrate spawn ${free}`, hint: `${free} belongs to ${first} and is open` };
  if (running[0]) return { fix: `cleo show ${running[0]}`, hint: `${running[0]} belongs to ${first} and is not done yet` };
  const isIdle = (stage: StageName): boolean => getWork(work, stage).done.length + getWork(work, stage).open.length === 0;
  const busy = missing.findIndex((stage) => !isIdle(stage));
  const through = missing.slice(0, busy < 0 ? undefined : busy).at(-1)!;
  return { fix: formatSkipCommand(epicId, first, through, formatSkipReason(epicId)) };
}

const formatSkipCommand = (epicId: TaskId, first: StageName, through: StageName, reason: string): string =>
  commandLine(['cleo', 'lifecycle', 'skip', epicId, first, '--through', through, '--reason', reason]);

/** Creates the error of a gate that is not passed (80). Its alternatives start the first missing stage, or skip it although it has
 *  tasks. */
export function createGateError(epicId: TaskId, stage: StageName, missing: StageName[], work: EpicWork): CleoError {
  const first = missing[0]!;
  const { fix, hint } = suggestStageFix(epicId, missing, work);
  const skip = formatSkipCommand(epicId, first, first, formatSkipReason(epicId, work.get(first)));
  return new CleoError('E_LIFECYCLE_GATE_FAILED', {
    epicId,
    stage,
    missing,
    ...defined({ hint }),
    legacyExitCode: 75,
    fix,
    ...defined({ skip: hint && skip }),
  });
}

const fixCommands: Record<StageMove, (status: Stage['status']) => string> = {
  start: (status) => (status === 'active' ? 'status' : 'reset'),
  complete: (status) => (status === 'pending' || status === 'failed' ? 'start' : 'reset'),
  skip: () => 'reset',
  fail: (status) => (status === 'pending' || status === 'failed' ? 'start' : 'reset'),
  reset: () => 'status',
};

/** Throws (83) if the status of the stage does not allow the move. */
export function checkStageMove(epicId: TaskId, { stage, status }: Stage, move: StageMove): void {
  if (isLegalStageMove(status, move)) return;
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
