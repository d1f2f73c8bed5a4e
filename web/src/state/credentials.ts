import { createStore } from './store.ts';

export interface Credentials {
  /** The secret of this start of the server, from the URL that `serve --open` opens. */
  secret?: string | undefined;
  token?: string | undefined;
  /** The server asks for a token. */
  needsToken?: boolean;
  /** The server did not accept the token that was given. */
  isRejected?: boolean;
}

const secretKey = 'cleo.secret';
const tokenKey = 'cleo.token';

const read = (key: string): string | undefined => sessionStorage.getItem(key) ?? undefined;

export const credentials = createStore<Credentials>({ secret: takeSecret() ?? read(secretKey), token: read(tokenKey) });

/** Takes the secret out of the address, so that it is not copied with it. */
function takeSecret(): string | undefined {
  const secret = new URLSearchParams(location.hash.slice(1)).get('secret') ?? undefined;
  if (secret === undefined) return undefined;
  sessionStorage.setItem(secretKey, secret);
  history.replaceState(history.state, '', location.pathname + location.search);
  return secret;
}

/** Tabs of one server share its secret. Only pages of the same origin hear each other. */
const channel = new BroadcastChannel('cleo');

channel.addEventListener('message', ({ data }: MessageEvent<{ asks?: true; secret?: string }>) => {
  const { secret } = credentials.get();
  if (data.asks && secret) channel.postMessage({ secret });
  if (data.secret && !secret) storeSecret(data.secret);
});
if (!credentials.get().secret) channel.postMessage({ asks: true });
// A tab that was opened again with a new secret gives it to the tabs that have none.
else channel.postMessage({ secret: credentials.get().secret });

function storeSecret(secret: string): void {
  sessionStorage.setItem(secretKey, secret);
  credentials.update((value) => ({ ...value, secret }));
}

/** Forgets the secret that a call was made with. The answer of an earlier call says nothing about a newer secret. */
export function dropSecret(secret: string | undefined): void {
  if (!secret || credentials.get().secret !== secret) return;
  sessionStorage.removeItem(secretKey);
  credentials.update((value) => ({ ...value, secret: undefined }));
  channel.postMessage({ asks: true });
}

export function storeToken(token: string): void {
  sessionStorage.setItem(tokenKey, token);
  credentials.update((value) => ({ ...value, token, needsToken: false, isRejected: false }));
}

/** Forgets the token that a call was made with, and asks for another one. */
export function dropToken(token: string | undefined): void {
  const current = credentials.get();
  if (current.token !== token || current.needsToken) return;
  sessionStorage.removeItem(tokenKey);
  credentials.set({ ...current, token: undefined, needsToken: true, isRejected: token !== undefined });
}
