import { useParam } from '../router.ts';
import { Icon } from './icon.tsx';

interface FilterTextProps {
  id: string;
  /** The name of the filter in the address. */
  name?: string;
  label?: string;
  placeholder?: string;
}

/** A text filter that is part of the address. Escape clears it. */
export function FilterText({ id, name = 'text', label = 'Filter by text', placeholder = 'Filter' }: FilterTextProps) {
  const [text, setText] = useParam(name);
  return (
    <span class="filter-text">
      <Icon name="filter" size={14} />
      <input
        id={id}
        type="search"
        class="field"
        placeholder={placeholder}
        aria-label={label}
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Escape') return;
          setText('');
          event.currentTarget.blur();
        }}
      />
    </span>
  );
}

interface FilterSelectProps {
  label: string;
  value: string;
  onChange: (value: string) => void;
  choices: [value: string, text: string][];
  hasAll?: boolean;
}

/** A choice of one value; the first one shows all. */
export const FilterSelect = ({ label, value, onChange, choices, hasAll = true }: FilterSelectProps) => (
  <label class={`filter-select ${value && hasAll ? 'set' : ''}`}>
    <span>{label}</span>
    <select value={value} onChange={(event) => onChange(event.currentTarget.value)}>
      {hasAll && <option value="">all</option>}
      {choices.map(([key, text]) => (
        <option key={key} value={key}>
          {text}
        </option>
      ))}
    </select>
  </label>
);
