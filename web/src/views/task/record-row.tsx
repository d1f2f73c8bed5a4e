import type { ComponentChildren } from 'preact';
import { Icon } from '../../components/icon.tsx';

/** A link to a record, or its name if the page has no view of it. */
export const RecordLink = ({ url, children }: { url?: string | undefined; children: ComponentChildren }) =>
  url ? (
    <a class="line" href={url}>
      {children}
    </a>
  ) : (
    <span class="line">{children}</span>
  );

/** The button in the head of a panel that opens its form. */
export const AddButton = ({ label, isOpen, onToggle }: { label: string; isOpen: boolean; onToggle: () => void }) => (
  <button type="button" class="button quiet small icon-only" aria-label={label} aria-expanded={isOpen} onClick={onToggle}>
    <Icon name="plus" size={14} />
  </button>
);

/** The button at the end of a row that removes a link, not the record. */
export const RemoveButton = ({ label, onRemove }: { label: string; onRemove: () => void }) => (
  <button type="button" class="button quiet small icon-only" aria-label={label} onClick={onRemove}>
    <Icon name="close" size={12} />
  </button>
);
