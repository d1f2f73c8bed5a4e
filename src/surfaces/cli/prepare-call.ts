import type { Call } from '#dispatch/dispatch.ts';
import type { PendingCall } from './ask-before-call.ts';
import { readSources } from './run.ts';

/** What a terminal adds to a call, or the exit code of a command that ends before its call. */
export interface PreparedCall {
  exitCode?: number;
  /** Files and standard input are read. */
  isRead?: true;
  call?: Pick<Call, 'observe' | 'beforeAsk' | 'signal'>;
  /** Clears the progress. */
  done?: (() => void) | undefined;
  onError?: (() => void) | undefined;
}

/** Prepares a call at a terminal: default parameters, questions, the editor and progress. Also checks `--color`. */
export async function prepareCall(pending: Omit<PendingCall, 'mayAsk'>): Promise<PreparedCall> {
  const { app, operation, parsed, terminal } = pending;
  const { globals } = parsed;
  const isForPeople = terminal.isTerminal && !globals.json && !globals.quiet && (globals.human || terminal.format !== 'json');
  if (globals.color) {
    const error = (await import('./lenient-arguments.ts')).checkColour(globals.color);
    if (error) parsed.error ??= error;
  }
  if (isForPeople) parsed.params = { ...operation.cli.terminalParams, ...parsed.params };
  await readSources(app.platform.folder, parsed, operation);
  let onError: (() => void) | undefined;
  if (parsed.isEdited || (isForPeople && operation.cli.asks)) {
    const { askBeforeCall } = await import('./ask-before-call.ts');
    const asked = await askBeforeCall({ ...pending, mayAsk: isForPeople });
    if ('exitCode' in asked) return asked;
    onError = asked.onError;
  }
  const { streamEvent } = operation.cli;
  if (streamEvent && !globals.json)
    return { isRead: true, call: (await import('./stream-text.ts')).streamText(streamEvent, terminal), onError };
  const isLong = terminal.isWatched && (operation.kind === 'job' || operation.cli.read !== undefined);
  const progress =
    operation.progress && terminal.isWatched && isForPeople
      ? await (await import('./run-progress.ts')).showRunProgress(await operation.progress(), terminal)
      : undefined;
  const done = progress?.done ?? (isLong ? (await import('./elapsed-time.ts')).showElapsedTime(operation.summary) : undefined);
  return {
    isRead: true,
    call: { ...(progress ? { observe: progress.observe } : {}), ...(done ? { beforeAsk: done } : {}) },
    done,
    onError,
  };
}
