import { createStore } from './store.ts';

/** A short message about what happened. */
export interface Notice {
  id: number;
  kind: 'done' | 'failed' | 'info';
  text: string;
  /** The command that solves the problem. */
  fix?: string | undefined;
}

export const notices = createStore<Notice[]>([]);

const shownMs = { done: 4000, info: 6000, failed: 15_000 };
let lastId = 0;

export function notify(kind: Notice['kind'], text: string, fix?: string): void {
  const id = ++lastId;
  notices.update((all) => [...all.slice(-3), { id, kind, text, fix }]);
  setTimeout(() => dismissNotice(id), shownMs[kind]);
}

export const dismissNotice = (id: number): void => notices.update((all) => all.filter((notice) => notice.id !== id));
