import { Icon } from '../../components/icon.tsx';
import { StateIcon } from '../../components/state-badge.tsx';
import { getRecordUrl } from '../../routes.ts';
import type { MemoryEntry } from './memory-actions.ts';

const stateShapes = { proposed: 'pending', accepted: 'done', rejected: 'blocked' } as const;

/** The state of an entry by shape, colour and name. */
export function MemoryState({ state }: { state: MemoryEntry['confirmation_state'] }) {
  const status = state === 'superseded' ? 'pending' : stateShapes[state];
  return (
    <span class={`state-badge ${status}`}>
      {state === 'superseded' ? <Icon name="archive" size={14} /> : <StateIcon status={status} isLabelled />}
      {state}
    </span>
  );
}

/** A link to an entry: id and title. */
export const MemoryLink = ({ id, title }: { id: string; title?: string | undefined }) => (
  <a class="task-link" href={getRecordUrl('memory', id)} title={title}>
    <span class="task-id">{id}</span>
    {title !== undefined && <span class="line">{title}</span>}
  </a>
);

/** A link to a document: its title and slug. */
export const DocumentLink = ({ slug, title }: { slug: string; title: string }) => (
  <a class="task-link" href={getRecordUrl('document', slug)} title={slug}>
    <Icon name="document" />
    <span class="line">{title}</span>
  </a>
);
