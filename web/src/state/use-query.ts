import { useEffect, useState } from 'preact/hooks';
import { type CallFailure, toCallFailure } from '../api/call-failure.ts';
import { query } from '../api/client.ts';
import type { Params, QueryName, Success } from '../api/operations.generated.ts';
import { type Change, connected, onChanges, onLogEntries, onReset } from './connection.ts';

export interface QueryState<N extends QueryName> {
  /** The last answer, also while it is read again. */
  data: Success<N> | undefined;
  failure: CallFailure | undefined;
  isLoading: boolean;
  reload(): void;
}

interface QueryOptions {
  /** Decides which changes make the answer stale; by default those of the same domain. */
  isAffected?: (change: Change) => boolean;
  /** Failed calls and reads of graded sessions make the answer stale too, as far as `isAffected` accepts them. */
  followsCalls?: boolean;
  /** Reads again after this time, for answers that change without a write. */
  refreshMs?: number;
}

/** Answers that were read before, so that going back shows them at once. */
const answers = new Map<string, Success<QueryName>>();
const maxAnswers = 200;
/** Many changes in a row cause one call in this time. */
const minPauseMs = 300;

/** Reads an operation and reads it again when a change affects it. Without parameters nothing is read. */
export function useQuery<N extends QueryName>(name: N, params: Params<N> | undefined, options: QueryOptions = {}): QueryState<N> {
  const key = params === undefined ? undefined : `${name} ${JSON.stringify(params)}`;
  const [state, setState] = useState<{ key: string | undefined; failure?: CallFailure; isLoading: boolean }>({ key, isLoading: true });
  const [reload, setReload] = useState<() => void>(() => () => {});

  useEffect(() => {
    if (key === undefined || params === undefined) return;
    const stop = new AbortController();
    let isReading = false;
    let isStale = false;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const read = async (): Promise<void> => {
      if (isReading) {
        isStale = true;
        return;
      }
      isReading = true;
      isStale = false;
      try {
        await connected;
        remember(key, await query(name, params, stop.signal));
        setState({ key, isLoading: false });
      } catch (error) {
        if (!stop.signal.aborted) setState({ key, failure: toCallFailure(error), isLoading: false });
      } finally {
        isReading = false;
        if (isStale && !stop.signal.aborted) schedule();
      }
    };
    const schedule = (): void => {
      timer ??= setTimeout(() => {
        timer = undefined;
        void read();
      }, minPauseMs);
    };
    const { isAffected = createDomainCheck(name), followsCalls = false, refreshMs } = options;
    let lastMs = 0;
    const readIfAffected = (changes: Change[]): void => {
      if (!changes.some(isAffected)) return;
      const nowMs = performance.now();
      // The first change after a pause is read at once.
      if (nowMs - lastMs > minPauseMs) void read();
      else schedule();
      lastMs = nowMs;
    };
    const cleanUp = [(followsCalls ? onLogEntries : onChanges)(readIfAffected), onReset(() => void read())];
    const refresh = refreshMs === undefined ? undefined : setInterval(() => void read(), refreshMs);
    setState({ key, isLoading: true });
    setReload(() => () => void read());
    void read();
    return () => {
      stop.abort();
      clearTimeout(timer);
      clearInterval(refresh);
      for (const run of cleanUp) run();
    };
  }, [key, options.refreshMs]);

  const isCurrent = state.key === key;
  const data = key === undefined ? undefined : (answers.get(key) as Success<N> | undefined);
  return { data, failure: isCurrent ? state.failure : undefined, isLoading: !isCurrent || state.isLoading, reload };
}

function remember(key: string, answer: Success<QueryName>): void {
  answers.delete(key);
  answers.set(key, answer);
  const [oldest] = answers.keys();
  if (answers.size > maxAnswers && oldest !== undefined) answers.delete(oldest);
}

const createDomainCheck = (name: string) => {
  const domain = name.slice(0, name.indexOf('.') + 1);
  return ({ operation }: Change): boolean => operation.startsWith(domain);
};

/** Creates a check for answers about one record, such as a task. */
export const createIdCheck =
  (id: string) =>
  ({ created = [], updated = [], deleted = [] }: Change): boolean =>
    created.includes(id) || updated.includes(id) || deleted.includes(id);
