import { CallFailure, createOfflineFailure, toCallFailure } from '../api/call-failure.ts';
import { checkCredentials, createHeaders } from '../api/client.ts';
import type { Result } from '../api/operations.generated.ts';
import { type Credentials, credentials } from './credentials.ts';
import { createStore } from './store.ts';

export type Identity = Result<'admin.whoami'>;

/** A committed write, as `/api/events` reports it. */
export interface Change {
  seq: number;
  at: string;
  operation: string;
  agent: string;
  session?: string;
  created?: string[];
  updated?: string[];
  deleted?: string[];
}

export interface Connection {
  status: 'connecting' | 'live' | 'offline';
  /** The reason why the page is offline. */
  failure?: CallFailure | undefined;
  identity?: Identity | undefined;
}

export const connection = createStore<Connection>({ status: 'connecting' });

type ChangeListener = (changes: Change[]) => void;
const changeListeners = new Set<ChangeListener>();
const entryListeners = new Set<ChangeListener>();
const resetListeners = new Set<() => void>();

/** Calls `listener` with the changes of a moment at once: a hundred writes cause one rendering. */
export function onChanges(listener: ChangeListener): () => void {
  changeListeners.add(listener);
  return () => void changeListeners.delete(listener);
}

/** Calls `listener` for every new entry of the log: a change, or a call that failed or was recorded for a grade. */
export function onLogEntries(listener: ChangeListener): () => void {
  entryListeners.add(listener);
  return () => void entryListeners.delete(listener);
}

/** Calls `listener` when everything on the screen may be out of date. */
export function onReset(listener: () => void): () => void {
  resetListeners.add(listener);
  return () => void resetListeners.delete(listener);
}

const batchMs = 40;
const minRetryMs = 250;
const maxRetryMs = 4000;
/** A browser opens six connections to one server. A hidden tab closes its own after this time. */
const hiddenMs = 30_000;

let setConnected = (): void => {};
/** Resolves once the head of the log is known, or the server cannot be reached. What is read afterwards misses no change. */
export const connected = new Promise<void>((resolve) => {
  setConnected = resolve;
});

let lastSeq: number | undefined;
let batch: Change[] = [];

/** Follows the events of the server until the page is closed. */
export async function followEvents(): Promise<void> {
  let retryMs = minRetryMs;
  for (;;) {
    await waitUntilVisible();
    await waitForToken();
    const stop = new AbortController();
    const cleanUp = [stopWhenHidden(stop), credentials.subscribe(() => stop.abort())];
    try {
      await readStream(stop.signal, () => {
        retryMs = minRetryMs;
      });
      if (!stop.signal.aborted) setOffline(createOfflineFailure());
    } catch (error) {
      if (!stop.signal.aborted) setOffline(toCallFailure(error));
    } finally {
      for (const run of cleanUp) run();
    }
    if (stop.signal.aborted) continue;
    await waitForRetry(retryMs);
    retryMs = Math.min(retryMs * 2, maxRetryMs);
  }
}

function setOffline(failure: CallFailure): void {
  connection.update((value) => ({ ...value, status: 'offline', failure }));
  setConnected();
}

async function readStream(signal: AbortSignal, onLive: () => void): Promise<void> {
  const used = credentials.get();
  const response = await fetch(`/api/events${lastSeq === undefined ? '' : `?after=${lastSeq}`}`, {
    headers: createHeaders(used),
    signal,
  }).catch((error: unknown) => {
    throw signal.aborted ? error : createOfflineFailure();
  });
  if (!response.ok || !response.body) {
    const envelope = await response.json().catch(() => undefined);
    const failure = new CallFailure(
      envelope?.error ?? { code: 'HTTP', message: `The server answered ${response.status}` },
      response.status,
    );
    checkCredentials(failure, used);
    throw failure;
  }
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    text += value;
    const messages = text.split('\n\n');
    text = messages.pop() ?? '';
    for (const message of messages) handleMessage(message, { onLive, used });
  }
}

function handleMessage(message: string, { onLive, used }: { onLive: () => void; used: Credentials }): void {
  const fields = new Map(message.split('\n').map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1).trim()]));
  const text = fields.get('data');
  const data = text ? JSON.parse(text) : {};
  const kind = fields.get('event');
  if (kind === 'hello') {
    onLive();
    const isFirst = lastSeq === undefined;
    const hasFailed = connection.get().status === 'offline';
    // The first head is the state that the page loads; later ones are reached by the messages that follow.
    lastSeq ??= data.seq;
    connection.set({ status: 'live', identity: data });
    setConnected();
    // What was read before a token was accepted has failed.
    if (isFirst && hasFailed) reset();
  } else if (kind === 'change') {
    lastSeq = data.seq;
    if (batch.length === 0) setTimeout(deliver, batchMs);
    batch.push(data);
    reportEntry(data);
  } else if (kind === 'call') {
    lastSeq = data.seq;
    reportEntry(data);
  } else if (kind === 'resume') lastSeq = data.after;
  else if (kind === 'reset') {
    lastSeq = data.seq;
    reset();
  } else if (kind === 'denied') {
    const failure = new CallFailure(data.error ?? data, 401);
    checkCredentials(failure, used);
    setOffline(failure);
  }
}

function reportEntry(entry: Change): void {
  for (const listener of [...entryListeners]) listener([entry]);
}

function reset(): void {
  for (const listener of [...resetListeners]) listener();
}

function deliver(): void {
  const changes = batch;
  batch = [];
  for (const listener of [...changeListeners]) listener(changes);
}

/** Waits before the next attempt; new credentials end the wait. */
function waitForRetry(retryMs: number): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      unsubscribe();
      resolve();
    };
    const timer = setTimeout(end, retryMs);
    const unsubscribe = credentials.subscribe(end);
  });
}

/** Waits while the page asks for a token: without one every call is rejected. */
function waitForToken(): Promise<void> {
  if (!credentials.get().needsToken) return Promise.resolve();
  return new Promise((resolve) => {
    const unsubscribe = credentials.subscribe(() => {
      if (credentials.get().needsToken) return;
      unsubscribe();
      resolve();
    });
  });
}

function waitUntilVisible(): Promise<void> {
  if (document.visibilityState === 'visible') return Promise.resolve();
  return new Promise((resolve) => {
    const check = (): void => {
      if (document.visibilityState !== 'visible') return;
      document.removeEventListener('visibilitychange', check);
      resolve();
    };
    document.addEventListener('visibilitychange', check);
  });
}

function stopWhenHidden(stop: AbortController): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const check = (): void => {
    clearTimeout(timer);
    if (document.visibilityState === 'hidden') timer = setTimeout(() => stop.abort(), hiddenMs);
  };
  document.addEventListener('visibilitychange', check);
  return () => {
    clearTimeout(timer);
    document.removeEventListener('visibilitychange', check);
  };
}
