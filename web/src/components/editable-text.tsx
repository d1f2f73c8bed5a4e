import { useState } from 'preact/hooks';

interface EditableTextProps {
  label: string;
  value: string;
  onSave: (text: string) => void | Promise<void>;
  onCancel: () => void;
}

/** A field in place of a text: Enter saves, Escape restores it. */
export function EditableText({ label, value, onSave, onCancel }: EditableTextProps) {
  const [text, setText] = useState(value);
  const save = (): void => {
    const next = text.trim();
    if (next === '' || next === value) onCancel();
    else void onSave(next);
  };
  return (
    <input
      class="field editable-text"
      aria-label={label}
      maxLength={200}
      value={text}
      ref={(element) => {
        if (!element || element.dataset.seen) return;
        element.dataset.seen = 'true';
        element.focus();
        element.select();
      }}
      onInput={(event) => setText(event.currentTarget.value)}
      onBlur={save}
      onKeyDown={(event) => {
        if (event.key === 'Enter') event.currentTarget.blur();
        else if (event.key === 'Escape') onCancel();
        else return;
        event.stopPropagation();
      }}
    />
  );
}
