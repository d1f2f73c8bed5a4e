import type { AnswerOptions, Operation } from '#core/define.ts';
import type { CleoError } from '#core/errors/error.ts';
import type { Changes } from '#core/model/audit.ts';

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
  /** Where the exit codes are not those of cleo. */
  exitNamespace?: 'skill';
}

export type Envelope = { _meta: Meta; success: boolean } & Record<string, unknown>;

/** What came of an operation, before it becomes an answer. */
export interface Done {
  result: Record<string, unknown>;
  more: AnswerOptions;
  changes?: Changes;
  isDryRun?: boolean;
  /** The envelope of the first time, when an idempotency key is seen again. */
  replay?: Envelope;
}

export function success(operation: Operation, meta: Meta, done: Done): Envelope {
  const { exit, warnings, truncated } = done.more;
  return {
    _meta: {
      ...meta,
      resultsField: resultsFieldOf(operation),
      ...(warnings?.length ? { warnings } : {}),
      ...(exit ? { exitCode: exit } : {}),
      ...(truncated ? { truncated } : {}),
    },
    success: true,
    ...done.result,
    ...(done.changes ? { data: receipt(done) } : {}),
  };
}

/** The first key of the result schema holds the primary data. */
export const resultsFieldOf = (operation: Operation): string => Object.keys(operation.result.entries)[0] ?? '';

function receipt({ changes, isDryRun }: Done): Record<string, unknown> {
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

export function failure(meta: Meta, error: CleoError): Envelope {
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
