import type { Status } from '#core/model/scalars.ts';

const legalTransitions: Record<Status, Status[]> = {
  pending: ['active', 'blocked', 'done'],
  active: ['pending', 'blocked', 'done'],
  blocked: ['pending', 'active'],
  done: ['active'],
};

/** Decides by the two statuses alone. Only `reopen` changes a done task. */
export const isLegalTransition = (from: Status, to: Status): boolean => legalTransitions[from].includes(to);
