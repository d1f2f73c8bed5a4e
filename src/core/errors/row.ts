/** Another way out of an error, in addition to `fix`. */
export interface Alternative {
  action: string;
  command: string;
  /** The same call for a client without a shell. */
  call?: { gateway: string; domain: string; operation: string; params: unknown };
}

/** One error of the catalog: exit code, HTTP status, message and fix. */
export interface ErrorRow<D> {
  exit: number;
  /** Computes the exit code if it comes from another program. */
  getExit?: (d: D) => number;
  http: number;
  message: (d: D) => string;
  /** A command that runs as printed and resolves the error. */
  fix: (d: D) => string;
  alternatives?: (d: D) => Alternative[];
  /** Computes the published code if it depends on the facts. */
  code?: (d: D) => string;
}

export const row = <D>(spec: ErrorRow<D>): ErrorRow<D> => spec;
