/** One way out of an error beside `fix`. */
export interface Alternative {
  action: string;
  command: string;
  /** The same for a caller without a shell. */
  call?: { gateway: string; domain: string; operation: string; params: unknown };
}

/** One refusal: what it exits and answers with, and what it says. */
export interface ErrorRow<D> {
  exit: number;
  /** Where it passes on the code of something else. */
  getExit?: (d: D) => number;
  http: number;
  message: (d: D) => string;
  /** A command that runs as printed and leads out of the error. */
  fix: (d: D) => string;
  alternatives?: (d: D) => Alternative[];
  /** Facts that are shown in `details`; all of them unless this says otherwise. */
  code?: (d: D) => string;
}

export const row = <D>(spec: ErrorRow<D>): ErrorRow<D> => spec;
