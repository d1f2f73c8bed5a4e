import type { Result } from '../../api/operations.generated.ts';

export type Lane = Result<'session.timeline'>['lanes'][number];
export type Mark = Lane['marks'][number];

export const markNames: Record<Mark['kind'], string> = { done: 'completion', error: 'error', handoff: 'handoff' };

/** A completion is a circle with a check, an error a triangle, a handoff a flag. */
export const MarkIcon = ({ kind }: { kind: Mark['kind'] }) => (
  <svg class={`mark-icon ${kind}`} width="14" height="14" viewBox="0 0 14 14" aria-hidden="true">
    {kind === 'done' && (
      <>
        <circle cx="7" cy="7" r="6" class="fill" />
        <path d="m4.2 7.2 2 2 3.6-4" class="mark" />
      </>
    )}
    {kind === 'error' && (
      <>
        <path d="M7 .8 13.6 13H.4z" class="fill" />
        <path d="M7 5v4M7 10.8v.4" class="mark" />
      </>
    )}
    {kind === 'handoff' && <path d="M2.5.8h1.6v12.4H2.5zM4.6 1.6h7.6L9.8 4.7l2.4 3.1H4.6z" class="fill" />}
  </svg>
);
