import { useState } from 'preact/hooks';
import { Icon } from './icon.tsx';

interface AddLineProps {
  label: string;
  placeholder: string;
  /** Returns true if the text was added, so that the field is cleared. */
  onAdd: (text: string) => Promise<boolean>;
  suggestions?: string[];
}

/** A field below a list that adds one entry. */
export function AddLine({ label, placeholder, onAdd, suggestions = [] }: AddLineProps) {
  const [text, setText] = useState('');
  const listId = `suggestions-${label.replace(/\W+/g, '-')}`;
  return (
    <form
      class="add-line"
      onSubmit={async (event) => {
        event.preventDefault();
        if (text.trim() !== '' && (await onAdd(text.trim()))) setText('');
      }}
    >
      <input
        class="field"
        aria-label={label}
        placeholder={placeholder}
        autocomplete="off"
        list={suggestions.length > 0 ? listId : undefined}
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
      />
      {suggestions.length > 0 && (
        <datalist id={listId}>
          {suggestions.map((value) => (
            <option key={value} value={value} />
          ))}
        </datalist>
      )}
      <button type="submit" class="button small icon-only" aria-label={`${label}: add`} disabled={text.trim() === ''}>
        <Icon name="plus" size={14} />
      </button>
    </form>
  );
}
