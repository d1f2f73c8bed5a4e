import { useState } from 'preact/hooks';
import { runAction } from '../../state/actions.ts';

interface DocumentEditorProps {
  slug: string;
  content: string;
  /** The version that is shown now. A later one than at the start was stored by somebody else meanwhile. */
  version: number;
  onClose: () => void;
}

/** Edits the text of a document. It is stored as the next version; earlier ones remain. */
export function DocumentEditor({ slug, content, version, onClose }: DocumentEditorProps) {
  // A text area has no carriage returns.
  const initial = content.replaceAll('\r\n', '\n');
  const [text, setText] = useState(initial);
  const [base, setBase] = useState(version);
  const isOutdated = base !== version;
  const isChanged = text !== initial;
  const save = async (): Promise<void> => {
    const lines = content.includes('\r\n') ? text.replaceAll('\n', '\r\n') : text;
    const answer = await runAction('docs.update', { slug, content: lines }, ({ doc }) => `Stored version ${doc.version} of ${slug}`);
    if (answer) onClose();
  };
  return (
    <div class="panel-form">
      <textarea
        class="field"
        aria-label="Text, in Markdown"
        rows={18}
        autofocus
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && (event.ctrlKey || event.metaKey) && isChanged && !isOutdated) void save();
          event.stopPropagation();
        }}
      />
      {isOutdated && (
        <p class="hint" role="alert">
          Version {version} was stored since you began, and this text does not contain it.{' '}
          <button type="button" class="button small" onClick={() => setBase(version)}>
            Store mine after it
          </button>
        </p>
      )}
      <div class="dialog-actions">
        <button type="button" class="button" onClick={onClose}>
          Cancel
        </button>
        <button type="button" class="button primary" disabled={!isChanged || isOutdated} onClick={() => void save()}>
          Store a new version
        </button>
      </div>
    </div>
  );
}
