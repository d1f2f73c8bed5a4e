import { useRef, useState } from 'preact/hooks';
import { Panel } from '../../components/panel.tsx';
import { ErrorNote } from '../../components/states.tsx';
import { useCanWrite } from '../../state/actions.ts';
import { useQuery } from '../../state/use-query.ts';
import { confirmMemory, type MemoryEntry, type MemoryType, rejectMemory } from './memory-actions.ts';
import { MemoryLink, MemoryState } from './memory-row.tsx';

const pageSize = 50;

export interface MemoryListFilter {
  term?: string;
  type?: MemoryType;
  state?: MemoryEntry['confirmation_state'];
  tag?: string;
}

/** Entries that match a filter. With a text the best match is first, otherwise the newest. */
export function MemoryList({ title, filter, none }: { title: string; filter: MemoryListFilter; none?: string }) {
  const [limit, setLimit] = useState(pageSize);
  const { data: current, failure, isLoading, reload } = useQuery('memory.find', { ...filter, limit });
  // The last answer stays until the next one is there, so that typing does not make the list flicker.
  const last = useRef(current);
  last.current = current ?? last.current;
  const data = last.current;
  const memories = data?.memories ?? [];
  const total = data?._meta.truncated?.total ?? memories.length;
  if (memories.length === 0 && !failure && (isLoading || none === undefined)) return null;
  return (
    <Panel title={title} count={total}>
      {failure && <ErrorNote failure={failure} onRetry={reload} />}
      {memories.length === 0 && none && !failure && <p class="panel-none">{none}</p>}
      <ul class="rows">
        {memories.map((entry) => (
          <MemoryRow key={entry.id} entry={entry} hasState={filter.state === undefined} />
        ))}
      </ul>
      {total > memories.length && (
        <p class="panel-none">
          <button type="button" class="button small" onClick={() => setLimit(limit + 4 * pageSize)}>
            Show more
          </button>
        </p>
      )}
    </Panel>
  );
}

function MemoryRow({ entry, hasState }: { entry: MemoryEntry; hasState: boolean }) {
  const canWrite = useCanWrite();
  const { id, type, title, confirmation_state: state, supersededBy } = entry;
  return (
    <li class="row memory-row" data-nav>
      <MemoryLink id={id} title={title} />
      <span class="row-end muted">
        {supersededBy && (
          <span class="superseded-by">
            by <MemoryLink id={supersededBy} />
          </span>
        )}
        {hasState && <MemoryState state={state} />}
        <span>{type}</span>
        {state === 'proposed' && (
          <>
            <button type="button" class="button small" disabled={!canWrite} onClick={() => void confirmMemory(entry)}>
              Confirm<span class="visually-hidden"> {id}</span>
            </button>
            <button type="button" class="button small quiet" disabled={!canWrite} onClick={() => void rejectMemory(entry)}>
              Reject<span class="visually-hidden"> {id}</span>
            </button>
          </>
        )}
      </span>
    </li>
  );
}
