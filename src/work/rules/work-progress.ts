import type { ProgressLine, ProgressReporter, ProgressState, RunEvent } from '#core/model/progress.ts';
import { formatWorkState } from '#core/model/work-state.ts';

/** Shows a run of `cleo work`: one line for each task that begins or ends, and what the agents do right now. */
export const workProgress: ProgressReporter = {
  initialState: { phases: [], activities: new Map() },
  step: (state, event, atMs) => ({ state: updateState(state, event, atMs), lines: toLines(event) }),
  formatStatus({ activities }, atMs, columns) {
    const all = [...activities.values()];
    if (all.length === 0) return undefined;
    // Each agent gets the same room, so that the last one is seen too.
    const room = Math.floor((columns + separator.length) / all.length) - separator.length;
    return all
      .map(({ skill, what, sinceMs }) => {
        const head = `${skill} ${formatMinutes(atMs - sinceMs)}`;
        return `${head} ${what.slice(0, Math.max(0, room - head.length - 1))}`.trim();
      })
      .join(separator);
  },
};

const separator = ' · ';

function toLines({ event, data, about }: RunEvent): ProgressLine[] {
  const task = String(about.skill ?? '');
  switch (event) {
    case 'work_claimed':
      return [{ mark: 'phase', text: `${task} ${data.title} · ${data.agent}${data.isResumed ? ' · continued' : ''}` }];
    case 'work_round':
      return [{ mark: 'retry', text: `${task} · round ${data.round}: ${[data.findings].flat().join(' ')}` }];
    case 'work_ended':
      return [toEndLine(task, data)];
    case 'work_draining':
      return [{ mark: 'note', text: `no further task is started; ${formatRunning(Number(data.running))}` }];
    default:
      return [];
  }
}

const formatRunning = (agents: number): string =>
  agents === 0
    ? 'no agent runs'
    : `${agents === 1 ? '1 agent still runs' : `${agents} agents still run`}; Ctrl-C again ends ${agents === 1 ? 'it' : 'them'}`;

const marks: Record<string, ProgressLine['mark']> = { done: 'success', waiting: 'pending', attention: 'failure' };

const toEndLine = (task: string, { outcome, note, branch }: Record<string, unknown>): ProgressLine => ({
  mark: marks[String(outcome)] ?? 'warning',
  text: [`${task} ${formatWorkState(String(outcome))}`, outcome === 'done' ? branch : undefined, note]
    .filter((part) => typeof part === 'string' && part !== '')
    .join(' · '),
});

function updateState(state: ProgressState, { event, data, about }: RunEvent, atMs: number): ProgressState {
  const task = String(about.skill ?? '');
  const activities = new Map(state.activities);
  if (event === 'work_claimed') activities.set(task, { skill: task, what: '', sinceMs: atMs });
  if (event === 'work_event') {
    const known = activities.get(task);
    activities.set(task, { skill: task, what: String(data.text ?? ''), sinceMs: known?.sinceMs ?? atMs });
  }
  if (event === 'work_ended') activities.delete(task);
  return { ...state, activities };
}

const formatMinutes = (ms: number): string => {
  const seconds = Math.max(0, Math.round(ms / 1000));
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
};
