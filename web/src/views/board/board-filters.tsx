import { formatId } from '#core/terminal/cell.ts';
import { FilterSelect, FilterText } from '../../components/filter.tsx';
import { Icon } from '../../components/icon.tsx';
import { useParam } from '../../router.ts';
import type { TaskIndex } from '../../state/task-index.ts';
import { type BoardGrouping, boardGroupings } from './board-rows.ts';

/** The head of the board: text, epic, label, person, grouping. They are in the address, so that a board can be shared. */
export function BoardFilters({ index, grouping, onAdd }: { index: TaskIndex; grouping: BoardGrouping; onAdd: (() => void) | undefined }) {
  const { containers, labels, people } = index.summaries;
  const [epic, setEpic] = useParam('epic');
  const [label, setLabel] = useParam('label');
  const [person, setPerson] = useParam('person');
  const [, setGroup] = useParam('group', 'epic');
  return (
    <header class="view-head board-head">
      <h1>Board</h1>
      <FilterText id="board-text" />
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
        choices={boardGroupings.map((name) => [name, name])}
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
