import '../errors.ts';
import { CleoError, replaceFix } from '#core/errors/error.ts';
import type { PostgresOptions } from './postgres.ts';
import { formatTarget, resolveTarget } from './postgres-target.ts';

export const getErrorCode = (error: unknown): string => String((error as { code?: unknown } | undefined)?.code ?? '');

/** The connection is gone, and its transaction with it: closed, ended by the server, or ended after a pause in a transaction. */
export const isConnectionLoss = (error: unknown): boolean => /^(CONNECTION_|ECONN|EPIPE|57P0[1235]|25P0[34]|08)/.test(getErrorCode(error));

/** The same call may succeed a moment later: the server restarts, has no free connection, or another server takes over. */
export const isTransient = (error: unknown): boolean =>
  isConnectionLoss(error) || /^(ETIMEDOUT|EHOST|ENET|EAI_AGAIN|CONNECT_TIMEOUT|53300)/.test(getErrorCode(error));

/** Two transactions collided, or a migration changed a table of a statement whose plan is kept, or such a statement was not kept because one
 *  before it had failed. The transaction is repeated. */
export const isCollision = (error: unknown): boolean =>
  ['40001', '40P01', '26000'].includes(getErrorCode(error)) || isStalePlan(error) || isUnexpectedHistory(error);

/** An entry of the log names another last row of history than there is. See `createAuditWriter`. */
export const isUnexpectedHistory = (error: unknown): boolean => getErrorCode(error) === '22012';

const isStalePlan = (error: unknown): boolean =>
  getErrorCode(error) === '0A000' && (error as { routine?: string }).routine === 'RevalidateCachedQuery';

/** The server accepts no writes. If the address names several servers, another one may. */
export const isReadOnlyServer = (error: unknown): boolean => getErrorCode(error) === '25006';

/** The schema may be on another server or under another key. A new one would be another project, so `init` is not suggested. */
export const createMissingSchemaError = (options: PostgresOptions, cause: unknown): CleoError =>
  replaceFix(
    createDamagedError(
      options,
      'the project has no schema on this server; it is on another one or has another project.key, or it was removed',
      cause,
      { missing: true },
    ),
    'cleo config get store.url',
  );

const createDamagedError = ({ schema }: PostgresOptions, problem: string, cause: unknown, facts: { missing?: boolean } = {}): CleoError =>
  new CleoError('E_STORE_DAMAGED', { path: schema, problem, isServer: true, ...facts }, { cause });

/** Creates the error of a call that got no connection in time. */
export const createUnavailableError = (options: PostgresOptions, error: unknown, waitedMs = options.busyTimeoutMs): CleoError =>
  new CleoError(
    'E_STORE_UNAVAILABLE',
    { address: formatTarget(resolveTarget(options)), problem: describeProblem(error), waitedMs: Math.round(waitedMs) },
    { cause: error },
  );

const describeProblem = (error: unknown): string => (error as Error).message || getErrorCode(error);

/** Converts an error of the server. Exported for its test, because most of these errors cannot be provoked. */
export function fromPostgresError(error: unknown, options: PostgresOptions): unknown {
  if (error instanceof CleoError) return error;
  const code = getErrorCode(error);
  const { message } = error as Error;
  const { schema: path } = options;
  const onServer = (problem: string): CleoError => new CleoError('E_FILE_ERROR', { path, problem, fix: 'cleo doctor' }, { cause: error });
  // The lock timeout, or a statement timeout set on the server.
  if (code === '55P03' || code === '57014')
    return new CleoError('E_LOCK_TIMEOUT', { waitedMs: options.busyTimeoutMs, path }, { cause: error });
  if (isCollision(error)) {
    const problem = `Transactions of other clients collided with this one again and again (${message})`;
    return new CleoError('E_LOCK_TIMEOUT', { waitedMs: options.busyTimeoutMs, path, problem }, { cause: error });
  }
  if (code === '53100') return onServer("the server's disk is full; nothing was changed");
  if (code === '58030') return onServer(`the server's disk reports an error; nothing was changed (${message})`);
  if (code === '25006') return onServer('the server is read-only; nothing was changed');
  if (code === '42501') return onServer(`the server does not allow it; nothing was changed (${message})`);
  if (/^(XX00[12]|58P01)$/.test(code)) return createDamagedError(options, `the server finds its files damaged (${message})`, error);
  if (isTransient(error)) return createUnavailableError(options, error);
  return unreachableCodes.test(code) ? createUnreachableError(options, error) : error;
}

export const createUnreachableError = (options: PostgresOptions, error: unknown): CleoError =>
  new CleoError(
    'E_STORE_UNREACHABLE',
    { address: formatTarget(resolveTarget(options)), problem: describeProblem(error) },
    { cause: error },
  );

/** Unknown host or database, rejected login, untrusted certificate, invalid address. */
const unreachableCodes = /^(ENOTFOUND|EAI_|28|3D|53|CONNECT|SASL|ERR_TLS|ERR_SSL|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO)/;
