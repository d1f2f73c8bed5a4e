import { CopyCommand } from '../components/copy-command.tsx';
import { Icon } from '../components/icon.tsx';
import { connection } from '../state/connection.ts';
import { credentials } from '../state/credentials.ts';
import { useStore } from '../state/store.ts';

/** Says why the page shows old data or cannot write. */
export function StatusBanner() {
  const { status, failure, identity } = useStore(connection);
  const hasCredentials = useStore(credentials, ({ secret, token }) => secret !== undefined || token !== undefined);
  if (status === 'offline')
    return (
      <div class="banner failed" role="alert">
        <Icon name="warning" />
        <span>
          {failure?.message ?? 'The server does not answer'}. {failure?.status === 0 && 'The page connects again when it is back.'}
        </span>
        <CopyCommand command={failure?.fix ?? 'cleo serve --open'} />
      </div>
    );
  if (status !== 'live' || (identity?.canWrite && hasCredentials)) return null;
  return (
    <div class="banner" role="status">
      <Icon name="warning" />
      {hasCredentials ? (
        <span>Read-only: this token may only read.</span>
      ) : (
        <>
          <span>Read-only. To make changes, open the page with</span>
          <CopyCommand command="cleo serve --open" />
        </>
      )}
    </div>
  );
}
