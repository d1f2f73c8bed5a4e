import { formatId } from '#core/terminal/cell.ts';
import type { Success } from '../../api/operations.generated.ts';
import { FilterSelect, FilterText } from '../../components/filter.tsx';
import { setParams, useParam } from '../../router.ts';
import { useTaskIndex } from '../../state/task-index.ts';
import type { Emphasis } from './highlight.ts';

interface GraphHeadProps {
  data: Success<'orchestrate.graph'> | undefined;
  /** The number of tasks that match the search; undefined without a search. */
  matches: number | undefined;
  emphasis: Emphasis;
  /** Selects the next match. */
  onFind: () => void;
}

const emphasisNames: [Emphasis, string][] = [
  ['critical', 'critical path'],
  ['blocked', 'blocked chains'],
  ['orphans', 'without dependencies'],
];

/** Search, filters and figures. The filters are in the address. */
export function GraphHead({ data, matches, emphasis, onFind }: GraphHeadProps) {
  const { containers } = useTaskIndex().summaries;
  const [epic] = useParam('epic');
  const [done, setDone] = useParam('done');
  const [, setShow] = useParam('show', 'all');
  return (
    <header class="view-head graph-head">
      <h1>Graph</h1>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          onFind();
        }}
      >
        <FilterText id="graph-text" label="Find a task" placeholder="Find" />
      </form>
      <FilterSelect
        label="Epic"
        value={epic}
        onChange={(id) => setParams({ epic: id, task: '', only: '' })}
        choices={containers.map(({ id, type, title }) => [id, `${formatId({ id, type })} ${title}`])}
      />
      <FilterSelect
        label="Highlight"
        value={emphasis === 'all' ? '' : emphasis}
        onChange={(value) => {
          setParams({ task: '', only: '' });
          setShow(value || 'all');
        }}
        choices={emphasisNames}
      />
      <label class="graph-check">
        <input type="checkbox" checked={done !== ''} onChange={(event) => setDone(event.currentTarget.checked ? 'shown' : '')} />
        Done tasks
      </label>
      <span class="spacer" />
      <span class="graph-figures muted" role="status">
        {matches === undefined ? data && formatFigures(data) : `${matches} found`}
      </span>
    </header>
  );
}

function formatFigures({ nodes, edges, criticalPath, _meta }: Success<'orchestrate.graph'>): string {
  const count = (number: number, one: string, several: string): string => `${number} ${number === 1 ? one : several}`;
  const { truncated } = _meta;
  return [
    truncated
      ? `${truncated.shown} of ${truncated.atLeast ? 'more than ' : ''}${truncated.total} tasks: choose an epic to see its own`
      : undefined,
    count(edges.length, 'dependency', 'dependencies'),
    count(nodes.filter(({ status }) => status === 'blocked').length, 'task blocked', 'tasks blocked'),
    criticalPath.length > 0 ? `critical path: ${criticalPath.length}` : undefined,
  ]
    .filter(Boolean)
    .join(' · ');
}
