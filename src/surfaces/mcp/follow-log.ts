import type { App } from '#dispatch/dispatch.ts';
import type { LogEvent, LogFeed } from '#dispatch/feed/log-feed.ts';
import { toChangedUris } from './changes.ts';

export interface LogFollower {
  /** Follows the log while a client has subscriptions, and never otherwise: it takes a connection to the store. */
  setSubscriptions(count: number): void;
  /** Reports the changes of this process now, if the log is followed. Returns false if the caller has to report them itself. */
  wake(): boolean;
  close(): void;
}

/** Notifies of the resources that any process has changed. */
export function createLogFollower(app: App, notify: (uris: string[]) => void): LogFollower {
  let feed: LogFeed | undefined;
  let isWanted = false;
  /** The end of the log is known, so that every later entry is reported. */
  let isFollowing = false;
  let unsubscribe: (() => void) | undefined;
  const onChange = (events: LogEvent[] | undefined): void => {
    isFollowing = true;
    const ids = (events ?? [])
      .filter(({ isChange }) => isChange)
      .flatMap(({ created = [], updated = [], deleted = [] }) => [...created, ...updated, ...deleted]);
    if (ids.length > 0) notify(toChangedUris(ids));
  };
  const start = async (): Promise<void> => {
    feed = await app.getLogFeed();
    if (isWanted) unsubscribe ??= feed.subscribe({ onChange, onReset: () => notify([]) });
  };
  const close = (): void => {
    isWanted = false;
    isFollowing = false;
    unsubscribe?.();
    unsubscribe = undefined;
  };
  return {
    setSubscriptions(count) {
      if (count === 0) return close();
      if (isWanted) return;
      isWanted = true;
      void start();
    },
    wake() {
      if (!isFollowing) return false;
      feed?.wake();
      return true;
    },
    close,
  };
}
