/** The error of a call: what is wrong, and the fix that the server offers. */
export class CallFailure extends Error {
  readonly code: string;
  readonly status: number;
  readonly fix: string | undefined;
  readonly details: Record<string, unknown>;

  constructor({ code, message, fix, details = {} }: FailureFields, status: number) {
    super(message);
    this.code = code;
    this.status = status;
    this.fix = fix;
    this.details = details;
  }
}

interface FailureFields {
  code: string;
  message: string;
  fix?: string | undefined;
  details?: Record<string, unknown> | undefined;
}

export const createOfflineFailure = (): CallFailure =>
  new CallFailure({ code: 'OFFLINE', message: 'The server does not answer', fix: 'cleo serve --open' }, 0);

export const isMissingSecret = ({ code, details }: CallFailure): boolean => code === 'E_FORBIDDEN' && details.reason === 'secret';

export const toCallFailure = (error: unknown): CallFailure =>
  error instanceof CallFailure
    ? error
    : new CallFailure({ code: 'PAGE', message: error instanceof Error ? error.message : String(error) }, 0);
