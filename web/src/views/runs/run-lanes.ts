import type { Result } from '../../api/operations.generated.ts';

export type Step = Result<'trace.show'>['trace']['steps'][number];

/** An attempt as a bar from its start to its end, in milliseconds since the run started. */
interface LaneBar {
  fromMs: number;
  toMs: number;
  status: string;
  label: string;
}

/** A gate, handoff or verdict at one moment. */
interface LaneMark {
  atMs: number;
  status: string;
  label: string;
}

/** One skill of one phase. */
export interface Lane {
  key: string;
  phase: string;
  skill: string;
  status?: string;
  durationMs?: number;
  bars: LaneBar[];
  marks: LaneMark[];
}

const markEvents = new Set(['gate_checked', 'handoff_attempted', 'judge_called', 'review_requested', 'review_resolved', 'score_recorded']);

/** Arranges the steps of a run in one lane for each skill of a phase, in the order in which they began. `elapsedMs` is the age of an active
 *  run. */
export function buildLanes(allSteps: Step[], elapsedMs = 0): { lanes: Lane[]; endMs: number } {
  const { steps, pausedMs } = removePauses(allSteps);
  const endMs = steps.reduce((latest, { atMs }) => Math.max(latest, atMs), Math.max(1, elapsedMs - pausedMs));
  const lanes = new Map<string, Lane>();
  for (const step of steps) {
    const { phase, skill = '', event, status = '', atMs } = step;
    if (phase === undefined || event === 'phase_entered' || event === 'phase_exited') continue;
    const key = `${phase}/${skill}`;
    const lane = lanes.get(key) ?? { key, phase, skill, bars: [], marks: [] };
    lanes.set(key, lane);
    if (event === 'attempt_completed') {
      const { durationMs = 0 } = step;
      lane.bars.push({ fromMs: Math.max(0, atMs - durationMs), toMs: atMs, status, label: formatAttempt(step) });
    } else if (event === 'attempt_started') lane.bars.push({ fromMs: atMs, toMs: endMs, status: 'running', label: formatAttempt(step) });
    else if (markEvents.has(event)) lane.marks.push({ atMs, status, label: formatStep(step) });
    else if (event === 'execution_complete') Object.assign(lane, { status, durationMs: step.durationMs });
  }
  return { lanes: [...lanes.values()], endMs };
}

/** Removes the time between the end of a run and its resume, next to which its steps would be too short to see. */
function removePauses(all: Step[]): { steps: Step[]; pausedMs: number } {
  let pausedMs = 0;
  let lastMs = 0;
  const steps = all.map((step) => {
    if (step.event === 'run_resumed') pausedMs += Math.max(0, step.atMs - lastMs);
    lastMs = step.atMs;
    return { ...step, atMs: step.atMs - pausedMs };
  });
  return { steps, pausedMs };
}

const formatAttempt = ({ attempt = 1, status, exitCode }: Step): string =>
  [`attempt ${attempt}`, status ?? 'running', exitCode === undefined ? '' : `exit code ${exitCode}`].filter(Boolean).join(', ');

/** Says in words what happened in a step. */
export function formatStep(step: Step): string {
  const { event, gate, status, attempt, exitCode } = step;
  const code = exitCode === undefined || exitCode === 0 ? '' : ` with exit code ${exitCode}`;
  switch (event) {
    case 'gate_checked':
      return `${gate} gate ${status}`;
    case 'attempt_completed':
      return `attempt ${attempt} ended: ${status}${code}`;
    case 'attempt_started':
      return `attempt ${attempt} began`;
    case 'execution_complete':
      return `execution ended: ${status}${code}`;
    case 'handoff_attempted':
      return `handoff ${status}`;
    case 'run_completed':
      return `run ended: ${status}${code}`;
    default:
      return [event.replaceAll('_', ' '), status].filter(Boolean).join(': ');
  }
}
