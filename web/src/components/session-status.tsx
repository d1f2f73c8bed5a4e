import type { Result } from '../api/operations.generated.ts';
import { getRecordUrl } from '../routes.ts';
import { Icon } from './icon.tsx';

export type SessionSummary = Result<'session.list'>['sessions'][number];

const statusIcons = { active: 'play', suspended: 'pause', ended: 'stop' } as const;

/** The status of a session by shape, colour and name. */
export const SessionStatus = ({ status }: { status: SessionSummary['status'] }) => (
  <span class={`session-status ${status}`}>
    <Icon name={statusIcons[status]} size={12} />
    {status}
  </span>
);

/** A link to a session by its name; without one, by its id. */
export const SessionLink = ({ id, name }: { id: string; name?: string | undefined }) => (
  <a class={`session-link line ${name === undefined ? 'mono' : ''}`} href={getRecordUrl('session', id)} title={id}>
    {name ?? id}
  </a>
);
