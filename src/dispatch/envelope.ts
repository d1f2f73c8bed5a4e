import type { AnswerOptions, Operation } from '#core/define.ts';
import type { CleoError } from '#core/errors/error.ts';
import type { Changes } from '#core/model/audit.ts';
import { defined } from '#lib/collections.ts';

export interface Meta {
  command: string;
  timestamp: string;
  version: string;
  resultsField?: string;
  sessionId?: string;
  warnings?: string[];
  exitCode?: number;
  truncated?: { shown: number; total: number; atLeast?: true; next?: string };
  replayed?: true;
  nudge?: string;
  /** Set when the exit codes are those of skills. */
  exitNamespace?: 'skill';
}

export type Envelope = { _meta: Meta; success: boolean } & Record<string, unknown>;

/** The outcome of an operation before it becomes an envelope. */
export interface Outcome {
  result: Record<string, unknown>;
  options: AnswerOptions;
  changes?: Changes;
  isDryRun?: boolean;
  /** The stored envelope of an idempotency key that is used again. */
  replay?: Envelope;
}

export function createSuccess(operation: Operation, meta: Meta, outcome: Outcome): Envelope {
  const { exit, warnings, truncated, preview } = outcome.options;
  const written = preview ? { ...outcome, changes: preview, isDryRun: true } : outcome;
  return {
    _meta: defined({
      ...meta,
      resultsField: getResultsField(operation, outcome.result),
      warnings: warnings?.length ? warnings : undefined,
      exitCode: exit,
      truncated,
    }),
    success: true,
    ...outcome.result,
    ...(written.changes ? { data: toReceipt(written) } : {}),
  };
}

/** Returns the first key of the result schema that the result has: it holds the primary data. */
export function getResultsField(operation: Operation, result: Record<string, unknown> = {}): string {
  const keys = operation.resultKeys ?? Object.keys(operation.result.entries);
  return keys.find((key) => key in result) ?? keys[0] ?? '';
}

function toReceipt({ changes, isDryRun }: Outcome): Record<string, unknown> {
  const { created, updated, deleted } = changes ?? { created: [], updated: [], deleted: [] };
  if (isDryRun)
    return {
      dryRun: true,
      count: created.length + updated.length + deleted.length,
      wouldCreate: created.length,
      wouldUpdate: updated.length,
      wouldDelete: deleted.length,
      insertedCount: 0,
    };
  return { ...(created.length ? { created } : {}), ...(updated.length ? { updated } : {}), ...(deleted.length ? { deleted } : {}) };
}

export function createFailure(meta: Meta, error: CleoError): Envelope {
  return {
    _meta: { ...meta, exitCode: error.exitCode },
    success: false,
    error: {
      code: error.code,
      exitCode: error.exitCode,
      message: error.message,
      fix: error.fix,
      ...(error.alternatives.length ? { alternatives: error.alternatives } : {}),
      ...(Object.keys(error.details).length ? { details: error.details } : {}),
    },
  };
}
