import type { IndexTask } from '../state/task-index.ts';
import { stateShapes } from './state-shapes.ts';

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
      {stateShapes[status].map(({ kind, path, dash }) => (
        <path key={kind} class={kind} d={path} stroke-dasharray={dash?.join(' ')} />
      ))}
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
