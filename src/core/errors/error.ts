import { type Alternative, type ErrorCode, type ErrorFacts, type GatewayCall, getErrorCatalog, isForPerson } from './catalog.ts';

/** An error of the catalog. Operations and rules throw it; dispatch converts it to the error envelope. */
export class CleoError<C extends ErrorCode = ErrorCode> extends Error {
  readonly row: C;
  readonly code: string;
  readonly exitCode: number;
  readonly httpStatus: number;
  fix: string;
  readonly alternatives: Alternative[];
  readonly details: Record<string, unknown>;
  /** The call that `fix` stands for, if a command line cannot express it. Otherwise surfaces derive it from `fix`. */
  call?: GatewayCall;

  constructor(row: C, facts: ErrorFacts<C>, options?: ErrorOptions) {
    // TypeScript cannot relate a row of the union to the facts of its code.
    const entry = getErrorCatalog()[row] as unknown as {
      exit: number;
      getExit?: (d: unknown) => number;
      http: number;
      message: (d: unknown) => string;
      fix: (d: unknown) => string;
      alternatives?: (d: unknown) => Alternative[];
      code?: (d: unknown) => string;
      manual?: (d: unknown) => string;
    };
    super(entry.message(facts), options);
    this.row = row;
    this.code = entry.code?.(facts) ?? row;
    this.exitCode = entry.getExit?.(facts) ?? entry.exit;
    this.httpStatus = entry.http;
    this.fix = entry.fix(facts);
    this.alternatives = entry.alternatives?.(facts) ?? [];
    this.details = Object.fromEntries(Object.entries(facts).filter(([key, value]) => value !== undefined && !inMessage.has(key)));
    const manual =
      entry.manual?.(facts) ??
      (/^(cleo\b|$)/.test(this.fix) ? undefined : isForPerson(this.fix) ? this.fix : `Run in a shell: ${this.fix}`);
    if (manual) this.details.manual ??= manual;
  }
}

/** Facts that the message or the fix contains in full; they are left out of `details`. */
const inMessage = new Set(['problem', 'fix', 'retry', 'via', 'act', 'look', 'focus', 'claim', 'exit', 'skip']);

/** Replaces the commands of an error where they would not help: they name tasks that are not stored, or a list that is empty. */
export function replaceFix(error: CleoError, fix: string): CleoError {
  error.fix = fix;
  error.alternatives.length = 0;
  return error;
}
