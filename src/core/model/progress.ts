/** Something that happened in a run, and what it is about. */
export interface RunEvent {
  event: string;
  data: Record<string, unknown>;
  about: Record<string, unknown>;
}

export type ProgressMark = 'phase' | 'good' | 'bad' | 'odd' | 'open' | 'made' | 'again' | 'note';

/** One line for people, said once and for all. */
export interface ProgressLine {
  mark: ProgressMark;
  text: string;
}

/** How far the story has come. */
export interface ProgressState {
  phases: string[];
  phase?: string;
  /** What each skill that runs is doing, since when, by its execution. */
  doing: Map<string, { skill: string; what: string; sinceMs: number; untilMs?: number }>;
}

/** What people are told while long work goes on: a line for whatever is decided, and one for what goes on now. */
export interface ProgressReporter {
  initialState: ProgressState;
  step(state: ProgressState, event: RunEvent, atMs: number): { state: ProgressState; lines: ProgressLine[] };
  formatStatus(state: ProgressState, atMs: number): string | undefined;
}
