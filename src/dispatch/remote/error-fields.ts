import { type Alternative, type GatewayCall, getErrorCatalog } from '#core/errors/catalog.ts';
import { CleoError } from '#core/errors/error.ts';

/** An error as its envelope shows it. */
export interface ErrorFields {
  code: string;
  exitCode: number;
  message: string;
  fix: string;
  alternatives?: Alternative[] | undefined;
  details?: Record<string, unknown> | undefined;
}

export const toErrorFields = ({ code, exitCode, message, fix, alternatives, details }: CleoError): ErrorFields => ({
  code,
  exitCode,
  message,
  fix,
  alternatives,
  details,
});

/** Rebuilds an error of the other process, whose facts are in its fields already. */
export function rebuildError(fields: ErrorFields, call?: GatewayCall): CleoError {
  const { code, exitCode, message, fix, alternatives = [], details = {} } = fields;
  const rebuilt = new CleoError('E_GENERAL_ERROR', { problem: message });
  // All errors with exit codes of skills are one row.
  const row = code.startsWith('E_SKILL_') ? 'E_SKILL' : code;
  // An error of the caller is no failure of the server.
  const httpStatus = (getErrorCatalog() as object as Partial<Record<string, { http: number }>>)[row]?.http ?? 400;
  return Object.assign(rebuilt, { row, code, exitCode, httpStatus, message, fix, alternatives, details, ...(call ? { call } : {}) });
}
