import type { IndexTask } from '../state/task-index.ts';

export type TaskStatus = IndexTask['status'];

export const statuses: TaskStatus[] = ['pending', 'active', 'blocked', 'done'];

/** Draws a status as a shape of its own, so that it is recognized without colour. */
export function StateIcon({ status, isLabelled = false }: { status: TaskStatus; isLabelled?: boolean }) {
  return (
    <svg
      class={`state-icon ${status}`}
      width="14"
      height="14"
      viewBox="0 0 14 14"
      {...(isLabelled ? { 'aria-hidden': 'true' } : { role: 'img', 'aria-label': status })}
    >
      {status === 'pending' && <circle cx="7" cy="7" r="5.5" class="ring" stroke-dasharray="2.4 1.9" />}
      {status === 'active' && (
        <>
          <circle cx="7" cy="7" r="5.5" class="ring" />
          <path d="M7 3.5a3.5 3.5 0 0 1 0 7z" class="fill" />
        </>
      )}
      {status === 'blocked' && (
        <>
          <path d="M4.6 1.2h4.8l3.4 3.4v4.8l-3.4 3.4H4.6L1.2 9.4V4.6z" class="fill" />
          <path d="M4.4 7h5.2" class="mark" />
        </>
      )}
      {status === 'done' && (
        <>
          <circle cx="7" cy="7" r="6.2" class="fill" />
          <path d="m4.2 7.2 2 2 3.6-4" class="mark" />
        </>
      )}
    </svg>
  );
}

/** A status with its shape, colour and name. */
export const StateBadge = ({ status }: { status: TaskStatus }) => (
  <span class={`state-badge ${status}`}>
    <StateIcon status={status} isLabelled />
    {status}
  </span>
);
