import { CallFailure, isMissingSecret, toCallFailure } from '../api/call-failure.ts';
import { mutate, type WriteOptions } from '../api/client.ts';
import type { MutationName, Params, Success } from '../api/operations.generated.ts';
import { connection, onChanges } from './connection.ts';
import { credentials } from './credentials.ts';
import { notify } from './notices.ts';
import { createStore, useStore } from './store.ts';

/** A write that waits until a person proves to be one. */
export interface ProofRequest {
  title: string;
  failure: CallFailure;
  /** Sends the call again with the passphrase; undefined if it is proved at a terminal. */
  retry?: (passphrase: string) => Promise<void>;
  cancel(): void;
}

export const proofRequest = createStore<ProofRequest | undefined>(undefined);

/** True if this page may write at all. */
export function useCanWrite(): boolean {
  const canWrite = useStore(connection, ({ identity }) => identity?.canWrite === true);
  const hasCredentials = useStore(credentials, ({ secret, token }) => secret !== undefined || token !== undefined);
  return canWrite && hasCredentials;
}

/** The command of a write that only a token of scope admin may send from a page, because it uses files of the host. */
export interface TerminalCommand {
  title: string;
  message: string;
  command: string;
  /** Closes the dialog before the command has ended. */
  until?: AbortSignal;
}

/** Runs a write and reports its outcome. Returns undefined if it failed. `done` is the message of a success. */
export async function runAction<N extends MutationName>(
  name: N,
  params: Params<N>,
  done?: string | ((answer: Success<N>) => string | undefined),
  { terminal, ...options }: Pick<WriteOptions, 'session'> & { terminal?: TerminalCommand } = {},
): Promise<Success<N> | undefined> {
  try {
    return report(await mutate(name, params, options), done);
  } catch (error) {
    const failure = toCallFailure(error);
    if (failure.details.reason === 'proof')
      return askForProof(failure, name, async (passphrase) => report(await mutate(name, params, { ...options, passphrase }), done));
    if (terminal && failure.code === 'E_FORBIDDEN' && !isMissingSecret(failure)) return showTerminalCommand(name, terminal);
    if (isMissingSecret(failure))
      notify('failed', 'This page may only read. Open it with its secret to make changes.', 'cleo serve --open');
    else notify('failed', failure.message, failure.fix);
    return undefined;
  }
}

/** Shows a command that a person runs at a terminal, until it was run or the dialog is closed. */
const showTerminalCommand = (name: MutationName, { title, message, command, until }: TerminalCommand): Promise<undefined> =>
  new Promise((resolve) => {
    const failure = new CallFailure({ code: 'PAGE', message, details: { command } }, 0);
    const end = openProofDialog(name, { title, failure }, () => resolve(undefined));
    until?.addEventListener('abort', end, { once: true });
  });

function report<N extends MutationName>(answer: Success<N>, done?: string | ((answer: Success<N>) => string | undefined)): Success<N> {
  const text = typeof done === 'function' ? done(answer) : done;
  const warnings = answer._meta.warnings ?? [];
  if (warnings.length > 0) notify('info', [text, ...warnings].filter(Boolean).join('. '));
  else if (text) notify('done', text);
  return answer;
}

/** Asks for the passphrase, or shows the command to run at a terminal and waits until it was run. */
function askForProof<N extends MutationName>(
  failure: CallFailure,
  name: N,
  retry: (passphrase: string) => Promise<Success<N>>,
): Promise<Success<N> | undefined> {
  return new Promise((resolve) => {
    const title = 'A person decides this';
    if (failure.details.proof !== 'passphrase') openProofDialog(name, { title, failure }, () => resolve(undefined));
    else {
      const end = (answer?: Success<N>): void => {
        proofRequest.set(undefined);
        resolve(answer);
      };
      proofRequest.set({ title, failure, cancel: () => end(), retry: async (passphrase) => end(await retry(passphrase)) });
    }
  });
}

/** Opens the dialog with the command of `failure` and follows the events until an operation of this name was run. Returns a function that
 *  closes it. */
function openProofDialog(name: MutationName, request: Pick<ProofRequest, 'title' | 'failure'>, onEnd: () => void): () => void {
  let isOpen = true;
  const end = (): void => {
    if (!isOpen) return;
    isOpen = false;
    stopFollowing();
    proofRequest.set(undefined);
    onEnd();
  };
  const stopFollowing = onChanges((changes) => {
    if (!changes.some(({ operation }) => operation === name)) return;
    notify('done', 'The command was run at a terminal');
    end();
  });
  proofRequest.set({ ...request, cancel: end });
  return end;
}
