import type { ComponentChildren } from 'preact';
import type { CallFailure } from '../api/call-failure.ts';
import { CopyCommand } from './copy-command.tsx';
import { Icon } from './icon.tsx';

interface EmptyStateProps {
  title: string;
  /** Nothing else is shown, so that the title is the heading of the page. */
  isView?: boolean;
  children?: ComponentChildren;
  commands?: string[];
}

/** Says what to do where nothing is yet. */
export const EmptyState = ({ title, isView, children, commands = [] }: EmptyStateProps) => (
  <div class="empty-state">
    {isView ? <h1 class="empty-title">{title}</h1> : <p class="empty-title">{title}</p>}
    {children && <p class="muted">{children}</p>}
    {commands.map((command) => (
      <CopyCommand key={command} command={command} />
    ))}
  </div>
);

interface ErrorNoteProps {
  failure: CallFailure;
  onRetry?: (() => void) | undefined;
  /** Nothing else is shown, so that the message is the heading of the page. */
  isView?: boolean;
}

/** An error in place of the content that it prevented, with the fix of the server. */
export function ErrorNote({ failure, onRetry, isView }: ErrorNoteProps) {
  const { manual } = failure.details;
  return (
    <div class="error-note" role="alert">
      <Icon name="warning" />
      <div>
        {isView ? <h1 class="error-title text">{failure.message}</h1> : <p class="text">{failure.message}</p>}
        {typeof manual === 'string' && <p class="text muted">{manual}</p>}
        {failure.fix && <CopyCommand command={failure.fix} />}
      </div>
      {onRetry && (
        <button type="button" class="button small" onClick={onRetry}>
          Try again
        </button>
      )}
    </div>
  );
}

/** Lines in place of content that is being read. Nothing is shown for a short wait. */
export const LoadingLines = ({ count = 4 }: { count?: number }) => (
  <div class="loading-lines" role="status" aria-label="Loading">
    {Array.from({ length: count }, (_, i) => (
      <span key={i} />
    ))}
  </div>
);
