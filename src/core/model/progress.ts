/** An event of a run. `about` names its run, phase and skill. */
export interface RunEvent {
  event: string;
  data: Record<string, unknown>;
  about: Record<string, unknown>;
}

export type ProgressMark = 'phase' | 'success' | 'failure' | 'warning' | 'pending' | 'output' | 'retry' | 'note';

/** A progress line for people. */
export interface ProgressLine {
  mark: ProgressMark;
  text: string;
}

/** The state of a run as its events describe it. */
export interface ProgressState {
  phases: string[];
  phase?: string;
  /** The current activity of each running skill, by execution id. */
  activities: Map<string, { skill: string; what: string; sinceMs: number; untilMs?: number }>;
}

/** Turns the events of a job into progress lines and a status line. It is a fold over the events. */
export interface ProgressReporter {
  initialState: ProgressState;
  step(state: ProgressState, event: RunEvent, atMs: number): { state: ProgressState; lines: ProgressLine[] };
  /** `columns` is the room for the line; it is cut there. */
  formatStatus(state: ProgressState, atMs: number, columns: number): string | undefined;
}
