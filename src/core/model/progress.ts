/** Something that happened in a run, and what it is about. */
export interface Happening {
  event: string;
  data: Record<string, unknown>;
  about: Record<string, unknown>;
}

export type Mark = 'phase' | 'good' | 'bad' | 'odd' | 'open' | 'made' | 'again' | 'note';

/** One line for people, said once and for all. */
export interface Told {
  mark: Mark;
  text: string;
}

/** How far the story has come. */
export interface Tale {
  phases: string[];
  phase?: string;
  /** What each skill that runs is doing, since when, by its execution. */
  doing: Map<string, { skill: string; what: string; sinceMs: number; untilMs?: number }>;
}

/** What people are told while long work goes on: a line for whatever is decided, and one for what goes on now. */
export interface Narration {
  begin: Tale;
  step(tale: Tale, happening: Happening, atMs: number): { tale: Tale; lines: Told[] };
  now(tale: Tale, atMs: number): string | undefined;
}
