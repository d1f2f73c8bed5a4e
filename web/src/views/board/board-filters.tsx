import { formatId } from '#core/terminal/cell.ts';
import { Icon } from '../../components/icon.tsx';
import { useParam } from '../../router.ts';
import type { TaskIndex } from '../../state/task-index.ts';
import { type Grouping, groupings } from './board-rows.ts';

/** The head of the board: text, epic, label, person, grouping. They are in the address, so that a board can be shared. */
export function BoardFilters({ index, grouping, onAdd }: { index: TaskIndex; grouping: Grouping; onAdd: (() => void) | undefined }) {
  const { containers, labels, people } = index.summaries;
  const [text, setText] = useParam('text');
  const [epic, setEpic] = useParam('epic');
  const [label, setLabel] = useParam('label');
  const [person, setPerson] = useParam('person');
  const [, setGroup] = useParam('group', 'epic');
  return (
    <header class="view-head board-head">
      <h1>Board</h1>
      <span class="filter-text">
        <Icon name="filter" size={14} />
        <input
          id="board-text"
          type="search"
          class="field"
          placeholder="Filter"
          aria-label="Filter by text"
          value={text}
          onInput={(event) => setText(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key !== 'Escape') return;
            setText('');
            event.currentTarget.blur();
          }}
        />
      </span>
      <FilterSelect
        label="Epic"
        value={epic}
        onChange={setEpic}
        choices={containers.map(({ id, type, title }) => [id, `${formatId({ id, type })} ${title}`])}
      />
      <FilterSelect label="Label" value={label} onChange={setLabel} choices={labels.map((name) => [name, name])} />
      <FilterSelect
        label="Person"
        value={person}
        onChange={setPerson}
        choices={[['none', 'not assigned'], ...people.map((name): [string, string] => [name, name])]}
      />
      <FilterSelect
        label="Group by"
        value={grouping}
        onChange={(value) => setGroup(value || 'none')}
        choices={groupings.map((name) => [name, name])}
        hasAll={false}
      />
      <span class="spacer" />
      {onAdd && (
        <button type="button" class="button primary" onClick={onAdd}>
          <Icon name="plus" size={14} /> Add
        </button>
      )}
    </header>
  );
}

interface FilterSelectProps {
  label: string;
  value: string;
  onChange: (value: string) => void;
  choices: [value: string, text: string][];
  hasAll?: boolean;
}

const FilterSelect = ({ label, value, onChange, choices, hasAll = true }: FilterSelectProps) => (
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
