import { type CallFailure, isMissingSecret, toCallFailure } from '../api/call-failure.ts';
import { mutate, type WriteOptions } from '../api/client.ts';
import type { MutationName, Params, Success } from '../api/operations.generated.ts';
import { connection, onChanges } from './connection.ts';
import { credentials } from './credentials.ts';
import { notify } from './notices.ts';
import { createStore, useStore } from './store.ts';

/** A write that waits until a person proves to be one. */
export interface ProofRequest {
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

/** Runs a write and reports its outcome. Returns undefined if it failed. `done` is the message of a success. */
export async function runAction<N extends MutationName>(
  name: N,
  params: Params<N>,
  done?: string | ((answer: Success<N>) => string | undefined),
  options: Pick<WriteOptions, 'session'> = {},
): Promise<Success<N> | undefined> {
  try {
    return report(await mutate(name, params, options), done);
  } catch (error) {
    const failure = toCallFailure(error);
    if (failure.details.reason === 'proof')
      return askForProof(failure, name, async (passphrase) => report(await mutate(name, params, { ...options, passphrase }), done));
    if (isMissingSecret(failure))
      notify('failed', 'This page may only read. Open it with its secret to make changes.', 'cleo serve --open');
    else notify('failed', failure.message, failure.fix);
    return undefined;
  }
}

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
    const end = (answer?: Success<N>): void => {
      stopFollowing();
      proofRequest.set(undefined);
      resolve(answer);
    };
    const stopFollowing = onChanges((changes) => {
      if (failure.details.proof === 'passphrase' || !changes.some(({ operation }) => operation === name)) return;
      notify('done', 'The command was run at a terminal');
      end();
    });
    proofRequest.set({
      failure,
      cancel: () => end(),
      ...(failure.details.proof === 'passphrase' ? { retry: async (passphrase: string) => end(await retry(passphrase)) } : {}),
    });
  });
}
