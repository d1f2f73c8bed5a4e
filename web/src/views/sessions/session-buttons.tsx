import { Icon } from '../../components/icon.tsx';
import type { SessionSummary } from '../../components/session-status.tsx';
import { useCanWrite } from '../../state/actions.ts';
import { endSession, resumeSession, suspendSession } from './session-actions.ts';

/** The actions that the status of a session allows. */
export function SessionButtons({ session, isSmall = false }: { session: SessionSummary; isSmall?: boolean }) {
  const canWrite = useCanWrite();
  const name = session.name ?? session.id;
  const className = `button ${isSmall ? 'small' : ''}`;
  return (
    <span class="session-buttons">
      {session.status === 'active' && (
        <button type="button" class={className} disabled={!canWrite} title={`Suspend ${name}`} onClick={() => void suspendSession(session)}>
          <Icon name="pause" size={12} /> Suspend
        </button>
      )}
      {session.status !== 'active' && (
        <button type="button" class={className} disabled={!canWrite} title={`Resume ${name}`} onClick={() => void resumeSession(session)}>
          <Icon name="play" size={12} /> Resume
        </button>
      )}
      {session.status !== 'ended' && (
        <button type="button" class={className} disabled={!canWrite} title={`End ${name}`} onClick={() => void endSession(session)}>
          <Icon name="stop" size={12} /> End
        </button>
      )}
    </span>
  );
}
