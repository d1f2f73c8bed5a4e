import type { Operation } from '#core/define.ts';
import { toOneLine } from '#core/terminal/index.ts';
import { type App, dispatch } from '#dispatch/dispatch.ts';
import type { ParsedArguments } from './arguments.ts';
import { isInteractive } from './interactive.ts';
import type { Terminal } from './run.ts';

/** A command line before its call. */
export interface PendingCall {
  app: App;
  operation: Operation;
  parsed: ParsedArguments;
  /** The words after the command. */
  words: string[];
  terminal: Terminal;
  /** The answer is printed for people on a terminal. */
  mayAsk: boolean;
}

/** The command ends here, or the call follows. `onError` runs if the call fails. */
export type AskedCall = { exitCode: number } | { onError?: () => void };

const timeoutMs = 10 * 60_000;
const noChange = 102;

/** Asks a person for what a command line leaves open, and completes its parameters. Without a person at a terminal nothing is asked. */
export async function askBeforeCall(call: PendingCall): Promise<AskedCall> {
  const { app, operation, parsed, words, mayAsk } = call;
  if (parsed.error) return {};
  if (parsed.isEdited) return (await import('./edit-task.ts')).editTaskText(call);
  const { asks } = operation.cli;
  const isOpen =
    asks === 'title'
      ? parsed.params.title === undefined
      : asks === 'changes'
        ? Object.keys(parsed.params).every((name) => operation.cli.args?.includes(name))
        : parsed.params.dryRun !== true && !words.some((word) => word === '--yes' || word === '-y');
  if (!mayAsk || !isOpen || !(await isInteractive(app.platform))) return {};
  if (asks === 'title') return askTitle(call);
  return asks === 'changes' ? (await import('./edit-task.ts')).editTaskText(call) : askConfirmation(call);
}

async function askTitle({ app, parsed, terminal }: PendingCall): Promise<AskedCall> {
  const terminalOfPerson = await app.platform.loadTerminal();
  const title = (await terminalOfPerson.ask('Title: ', { timeoutMs }))?.trim();
  if (!title) return cancel(terminal, 'Nothing was created: a task needs a title.');
  parsed.params.title = title;
  return {};
}

/** Shows what the call would do, and asks whether to do it. */
async function askConfirmation({ app, operation, parsed, terminal }: PendingCall): Promise<AskedCall> {
  const { session, agent } = parsed.globals;
  const { envelope, exitCode } = await dispatch(app, {
    operation: operation.name,
    gateway: 'cli',
    params: { ...parsed.params, dryRun: true },
    ...(session ? { session } : {}),
    ...(agent ? { agent } : {}),
  });
  // The call itself reports the error.
  if (!envelope.success || exitCode !== 0) return {};
  const { summary } = envelope[envelope._meta.resultsField ?? ''] as { summary?: string };
  const person = await app.platform.loadTerminal();
  const answer = await person.ask(`${toOneLine(summary ?? operation.summary)}? [y/N] `, { timeoutMs });
  return /^y(es)?$/i.test(answer?.trim() ?? '') ? {} : cancel(terminal, 'Nothing changed.');
}

export function cancel(terminal: Pick<Terminal, 'writeError'>, text: string): AskedCall {
  terminal.writeError(`${text}\n`);
  return { exitCode: noChange };
}
