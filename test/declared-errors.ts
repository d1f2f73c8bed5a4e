import { type ErrorCode, isForPerson } from '../src/core/errors/catalog.ts';
import type { App, Call, Reply } from '../src/dispatch/dispatch.ts';
import { addCalls } from '../src/surfaces/cli/error-calls.ts';

/** Errors that dispatch, the store or the session check can return for any operation, so that definitions do not list them. */
const commonErrors = new Set<ErrorCode>([
  'E_CONFIG_ERROR',
  'E_FILE_ERROR',
  'E_FORBIDDEN',
  'E_GENERAL_ERROR',
  'E_INVALID_INPUT',
  'E_INVALID_OPERATION',
  'E_LOCK_TIMEOUT',
  'E_NOT_INITIALIZED',
  'E_OUTCOME_UNKNOWN',
  'E_PROJECT_UNTRUSTED',
  'E_SESSION_NOT_FOUND',
  'E_SESSION_REQUIRED',
  'E_STORE_DAMAGED',
  'E_STORE_MOVED',
  'E_STORE_NEWER',
  'E_STORE_OLDER',
  'E_STORE_UNAVAILABLE',
  'E_STORE_UNREACHABLE',
  'E_VALIDATION',
]);

/** Returns what is wrong if an operation returned an error that neither its definition nor `commonErrors` lists. An operation with exit
 *  codes of its own returns errors of other rows as E_SKILL, with their code in `cleoCode`; exit code 70 means that none fits. */
export function findUndeclaredError({ operation, error }: Pick<Reply, 'operation' | 'error'>): string | undefined {
  if (!operation || !error) return undefined;
  const { row, code, exitCode, details, message } = error;
  const isDeclared = commonErrors.has(row) || operation.errors.some((declared) => declared === row || declared === code);
  if (isDeclared && (details.cleoCode === undefined || details.cleoCode === 'E_GENERAL_ERROR' || exitCode !== 70)) return undefined;
  return `${operation.name} returned ${details.cleoCode ?? row}, which its definition does not list in errors: ${message}`;
}

/** Fails the call if a client without a shell could not follow the error: a fix or an alternative has no call, and no `details.manual`
 *  says what a person must do; or the message names a flag. */
export async function checkErrorCalls(app: App, call: Call, reply: Reply): Promise<void> {
  if (reply.envelope.success) return;
  const { error } = (await addCalls(app, reply, call)) as unknown as { error: CallableError };
  const name = `${call.operation}: ${reply.error?.row}`;
  const { manual = 'Run in a shell: cleo' } = error.details ?? {};
  // The caller knows the secret that a fix leaves out; no call can repeat it.
  const isRedacted = error.fix.includes('[redacted]');
  if (!error.call && !isRedacted && manual.startsWith('Run in a shell: cleo'))
    throw new Error(`${name} has a fix without a call: ${error.fix}`);
  // An error of input names the flag after the parameter on the command line only.
  const message = call.gateway === 'cli' ? error.message.replaceAll(/ \(--[a-z-]+\)/g, '') : error.message;
  const flags = [...message.matchAll(/(?:^|[\s;(])(--[a-z][a-z-]*)/g)].map(([, flag = '']) => flag);
  const isFromCall = (flag: string): boolean => listTexts(call).some((text) => text.includes(flag));
  if (!call.inputError && !flags.every(isFromCall)) throw new Error(`${name} names a flag: ${message}`);
  for (const { command, call: step } of error.alternatives ?? [])
    if (!step && !isForPerson(command)) throw new Error(`${name} has an alternative without a call: ${command}`);
}

/** The texts that a message may repeat. */
const listTexts = ({ operation, session, agent, params }: Call): string[] =>
  [operation, session, agent, ...Object.values(params ?? {}).flat()].filter((value) => typeof value === 'string');

interface CallableError {
  message: string;
  fix: string;
  call?: object;
  alternatives?: { command: string; call?: object }[];
  details?: { manual?: string };
}
