import { useEffect, useRef, useState } from 'preact/hooks';
import { type CallFailure, toCallFailure } from '../../api/call-failure.ts';
import { query } from '../../api/client.ts';
import type { Params, Result } from '../../api/operations.generated.ts';
import { connected, onLogEntries, onReset } from '../../state/connection.ts';

export type LogEntry = Result<'admin.log'>['entries'][number];
export type LogQuery = Omit<Params<'admin.log'>, 'limit' | 'offset' | 'budget' | 'before' | 'after' | 'brief'>;

interface LogState {
  /** The newest first. */
  entries: LogEntry[];
  isComplete: boolean;
  isLoading: boolean;
  failure?: CallFailure | undefined;
}

const pageSize = 200;
const minPauseMs = 250;
const start: LogState = { entries: [], isComplete: false, isLoading: true };

/** Reads the log page by page from the newest entry, and adds new entries as they are written. */
export function useLog(filter: LogQuery): LogState & { loadOlder: () => void; reload: () => void } {
  const key = JSON.stringify(filter);
  const [state, setState] = useState<LogState>(start);
  const latest = useRef(state);
  latest.current = state;
  const reader = useRef<{ loadOlder: () => void; reload: () => void }>({ loadOlder: () => {}, reload: () => {} });

  useEffect(() => {
    const stop = new AbortController();
    const { signal } = stop;
    let isBusy = false;
    let isStale = false;
    let wantsOlder = false;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const update = (next: LogState): void => {
      latest.current = next;
      setState(next);
    };
    const read = async (more: object) => (await query('admin.log', { ...filter, ...more, limit: pageSize, brief: true }, signal)).entries;
    /** Runs one read at a time, so that pages are appended in order. */
    const run = async (work: () => Promise<void>): Promise<void> => {
      if (isBusy) return;
      isBusy = true;
      try {
        await connected;
        await work();
      } catch (error) {
        if (!signal.aborted) update({ ...latest.current, isLoading: false, failure: toCallFailure(error) });
      } finally {
        isBusy = false;
        if (isStale && !signal.aborted) schedule();
        if (wantsOlder && !signal.aborted) loadOlder();
      }
    };
    const readFirst = async (): Promise<void> => {
      const entries = await read({});
      update({ entries, isComplete: entries.length < pageSize, isLoading: false });
    };
    const readOlder = async (): Promise<void> => {
      const { entries, isComplete } = latest.current;
      const last = entries.at(-1);
      if (isComplete || !last) return;
      const older = await read({ before: last.seq });
      update({ ...latest.current, entries: [...entries, ...older], isComplete: older.length < pageSize, failure: undefined });
    };
    const readNewer = async (): Promise<void> => {
      isStale = false;
      const { entries } = latest.current;
      const [first] = entries;
      if (!first) return readFirst();
      const newer = await read({ after: first.seq });
      // A full page may not reach the head: begin again there instead of following a long way.
      if (newer.length === pageSize) return readFirst();
      if (newer.length > 0) update({ ...latest.current, entries: [...newer.reverse(), ...entries] });
    };
    const loadOlder = (): void => {
      // While another page is read, the request is not lost.
      wantsOlder = isBusy;
      void run(readOlder);
    };
    const schedule = (): void => {
      isStale = true;
      timer ??= setTimeout(() => {
        timer = undefined;
        void run(readNewer);
      }, minPauseMs);
    };
    const cleanUp = [onLogEntries(schedule), onReset(() => void run(readFirst))];
    reader.current = { loadOlder, reload: () => void run(readFirst) };
    update(start);
    void run(readFirst);
    return () => {
      stop.abort();
      clearTimeout(timer);
      for (const end of cleanUp) end();
    };
  }, [key]);

  return { ...state, loadOlder: () => reader.current.loadOlder(), reload: () => reader.current.reload() };
}
