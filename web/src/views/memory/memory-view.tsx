import './memory.css';
import { FilterSelect, FilterText } from '../../components/filter.tsx';
import { Icon } from '../../components/icon.tsx';
import { EmptyState, ErrorNote, LoadingLines } from '../../components/states.tsx';
import { useListKeys } from '../../components/use-list-keys.ts';
import { useParam } from '../../router.ts';
import { useShortcuts } from '../../state/shortcuts.ts';
import { useQuery } from '../../state/use-query.ts';
import { DocumentList, useDocuments } from './document-list.tsx';
import { stateChoices, stateTitles, typeChoices } from './memory-actions.ts';
import { MemoryList, type MemoryListFilter } from './memory-list.tsx';

/** Memory by state, and documents. A text finds both, also with typos. */
export function MemoryView() {
  const [text] = useParam('text');
  const [kind, setKind] = useParam('kind');
  const [state, setState] = useParam('state');
  const [tag, setTag] = useParam('tag');
  const any = useQuery('memory.find', { limit: 1 });
  const documents = useDocuments();
  useListKeys('.memory');
  useShortcuts('Memory', [{ keys: 'f', about: 'Search memory and documents', run: () => document.getElementById('memory-text')?.focus() }]);

  const type = typeChoices.find(([each]) => each === kind)?.[0];
  const chosen = stateChoices.find(([each]) => each === state)?.[0];
  const filter: MemoryListFilter = { ...(type ? { type } : {}), ...(tag ? { tag } : {}) };
  const term = text.trim();
  const hasMemory = kind !== 'document';
  const hasDocuments = !type && !chosen && !tag;
  const isEmpty = any.data?.memories.length === 0 && documents.data?.docs.length === 0;
  const states = chosen ? [chosen] : stateChoices.map(([each]) => each);
  if (any.failure && !any.data) return <ErrorNote isView failure={any.failure} onRetry={any.reload} />;
  if (!any.data) return <LoadingLines count={8} />;
  return (
    <div class="view-scroll">
      <header class="view-head">
        <h1>Memory</h1>
        <FilterText id="memory-text" label="Search memory and documents" placeholder="Search" />
        <FilterSelect label="Kind" value={kind} onChange={setKind} choices={[...typeChoices, ['document', 'Documents']]} />
        <FilterSelect label="State" value={state} onChange={setState} choices={stateChoices} />
        {tag && (
          <button type="button" class="button small" onClick={() => setTag('')}>
            <Icon name="label" size={14} />
            <span class="line">{tag}</span>
            <Icon name="close" size={14} />
            <span class="visually-hidden">Remove this filter</span>
          </button>
        )}
      </header>
      {isEmpty ? (
        <EmptyState
          title="Nothing remembered yet"
          commands={['cleo memory store --type decision --content "Tokens are structs"', 'cleo docs add T001 notes.md']}
        >
          Agents store what they decide, observe and learn. At a terminal:
        </EmptyState>
      ) : (
        <div class={`view memory ${hasMemory && hasDocuments ? 'both' : ''}`}>
          {hasMemory && (
            <div class="memory-column">
              {term ? (
                <MemoryList
                  title="Found in memory"
                  filter={{ ...filter, term, ...(chosen ? { state: chosen } : {}) }}
                  none="No entry matches."
                />
              ) : (
                states.map((each) => (
                  <MemoryList
                    key={each}
                    title={stateTitles[each]}
                    filter={{ ...filter, state: each }}
                    {...(chosen ? { none: `No ${each} entry.` } : {})}
                  />
                ))
              )}
            </div>
          )}
          {hasDocuments && (
            <div class="memory-column">
              <DocumentList documents={documents} text={text} />
            </div>
          )}
        </div>
      )}
    </div>
  );
}
