import { type Credentials, credentials, dropSecret, dropToken } from '../state/credentials.ts';
import { CallFailure, createOfflineFailure, isMissingSecret } from './call-failure.ts';
import type { MutationName, Params, QueryName, Success } from './operations.generated.ts';

/** Calls an operation that reads. */
export const query = <N extends QueryName>(name: N, params: Params<N>, signal?: AbortSignal): Promise<Success<N>> =>
  call('query', name, params, signal ? { signal } : {});

export interface WriteOptions {
  /** Proves that a person decides. */
  passphrase?: string | undefined;
  /** The session that the call is about; by default the one of the caller. */
  session?: string | undefined;
}

/** Calls an operation that writes. */
export const mutate = <N extends MutationName>(
  name: N,
  params: Params<N>,
  { passphrase, session }: WriteOptions = {},
): Promise<Success<N>> =>
  call('mutate', name, params, {
    headers: {
      ...(passphrase === undefined ? {} : { 'Cleo-Passphrase': encodeURIComponent(passphrase) }),
      ...(session === undefined ? {} : { 'Cleo-Session': session }),
    },
  });

/** The headers that identify this page. */
export function createHeaders({ secret, token }: Credentials): Record<string, string> {
  return { ...(secret ? { 'Cleo-Page-Secret': secret } : {}), ...(token ? { Authorization: `Bearer ${token}` } : {}) };
}

async function call<T>(
  gateway: string,
  name: string,
  params: unknown,
  options: { signal?: AbortSignal; headers?: Record<string, string> },
) {
  const [domain = '', ...rest] = name.split('.');
  const { signal, headers } = options;
  const used = credentials.get();
  const response = await fetch(`/api/${gateway}/${domain}/${rest.join('.')}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...createHeaders(used), ...headers },
    body: JSON.stringify(params),
    ...(signal ? { signal } : {}),
  }).catch((error: unknown) => {
    throw signal?.aborted ? error : createOfflineFailure();
  });
  const envelope = await response.json().catch(() => undefined);
  if (envelope?.success) return envelope as T;
  const failure = envelope?.error
    ? new CallFailure(envelope.error, response.status)
    : new CallFailure({ code: 'HTTP', message: `The server answered ${response.status} without an envelope` }, response.status);
  checkCredentials(failure, used);
  throw failure;
}

/** Forgets a secret or a token that the server does not accept, so that the page becomes read-only or asks for a token. */
export function checkCredentials(failure: CallFailure, used: Credentials): void {
  if (isMissingSecret(failure)) dropSecret(used.secret);
  if (failure.status === 401) dropToken(used.token);
}
