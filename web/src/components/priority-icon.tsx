import type { IndexTask } from '../state/task-index.ts';

export type Priority = IndexTask['priority'];

export const priorities: Priority[] = ['critical', 'high', 'medium', 'low'];

const barCount: Record<Priority, number> = { critical: 4, high: 3, medium: 2, low: 1 };

/** Draws a priority as rising bars; a critical one as a filled square. */
export function PriorityIcon({ priority, isLabelled = false }: { priority: Priority; isLabelled?: boolean }) {
  return (
    <svg
      class={`priority-icon ${priority}`}
      width="14"
      height="14"
      viewBox="0 0 14 14"
      {...(isLabelled ? { 'aria-hidden': 'true' } : { role: 'img', 'aria-label': `${priority} priority` })}
    >
      {priority === 'critical' ? (
        <>
          <rect x="1" y="1" width="12" height="12" rx="2.5" class="fill" />
          <path d="M7 4v3.6M7 9.9v.1" class="mark" />
        </>
      ) : (
        [0, 1, 2].map((i) => (
          <rect
            key={i}
            x={1.5 + i * 4}
            y={9 - i * 3.2}
            width="3"
            height={4 + i * 3.2}
            rx="1"
            class={i < barCount[priority] ? 'fill' : 'rest'}
          />
        ))
      )}
    </svg>
  );
}
