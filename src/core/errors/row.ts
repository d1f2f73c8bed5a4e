/** A command as the call of a gateway, ready to be sent by a client without a shell. */
export interface GatewayCall {
  tool: 'cleo_query' | 'cleo_mutate';
  domain: string;
  operation: string;
  params: unknown;
  session?: string;
  agent?: string;
  idempotencyKey?: string;
}

export function toGatewayCall(name: string, kind: 'query' | 'mutate' | 'mutation' | 'job', params: unknown): GatewayCall {
  const [domain = '', ...rest] = name.split('.');
  return { tool: kind === 'query' ? 'cleo_query' : 'cleo_mutate', domain, operation: rest.join('.'), params };
}

/** Another way out of an error, in addition to `fix`. */
export interface Alternative {
  action: string;
  command: string;
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
  /** Says what a person must do if no call solves the error: install a tool, edit a file. */
  manual?: (d: D) => string;
  /** Computes the published code if it depends on the facts. */
  code?: (d: D) => string;
}

const forPerson = 'Ask a person to run: ';
/** Formats the fix of a caller that may not run the command itself. */
export const askPerson = (command: string): string => forPerson + command;
export const isForPerson = (fix: string): boolean => fix.startsWith(forPerson);

export const row = <D>(spec: ErrorRow<D>): ErrorRow<D> => spec;
