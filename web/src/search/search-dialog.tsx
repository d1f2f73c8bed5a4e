import { useEffect, useMemo, useState } from 'preact/hooks';
import { Dialog } from '../components/dialog.tsx';
import { Icon } from '../components/icon.tsx';
import { StateIcon } from '../components/state-badge.tsx';
import { TaskIdText } from '../components/task-id.tsx';
import { navigate } from '../router.ts';
import { notify } from '../state/notices.ts';
import { useTaskIndex } from '../state/task-index.ts';
import { mergeResults, type SearchHit, searchLocally, searchServer } from './search-sources.ts';

const pauseMs = 120;
const kindText: Record<SearchHit['kind'], string> = {
  page: 'Page',
  action: 'Action',
  task: 'Task',
  memory: 'Memory',
  document: 'Document',
  session: 'Session',
  run: 'Run',
  command: 'Command',
};

/** Finds tasks, memory, documents, sessions, pages and commands while a person types. */
export function SearchDialog({ onClose }: { onClose: () => void }) {
  const [text, setText] = useState('');
  const [chosen, setChosen] = useState(0);
  const [fromServer, setFromServer] = useState<{ text: string; results: SearchHit[] }>({ text: '', results: [] });
  const index = useTaskIndex();
  const local = useMemo(() => searchLocally(text), [text, index]);
  const isCurrent = fromServer.text === text.trim();
  const results = mergeResults(local, isCurrent ? fromServer.results : []);

  useEffect(() => {
    const wanted = text.trim();
    if (wanted === '') return;
    const stop = new AbortController();
    const timer = setTimeout(async () => {
      const found = await searchServer(wanted, stop.signal);
      if (!stop.signal.aborted) setFromServer({ text: wanted, results: found });
    }, pauseMs);
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [text]);

  const open = (result: SearchHit | undefined): void => {
    if (!result) return;
    onClose();
    if (result.run) result.run();
    else if (result.url) navigate(result.url);
    else if (result.command) {
      void navigator.clipboard?.writeText(result.command).catch(() => {});
      notify('info', 'Copied. Run it at a terminal:', result.command);
    }
  };
  const press = (event: KeyboardEvent): void => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) setChosen((at) => Math.max(0, Math.min(results.length - 1, at + step)));
    else if (event.key === 'Enter') open(results[chosen]);
    else return;
    event.preventDefault();
  };

  return (
    <Dialog title="Search" onClose={onClose} className="search-dialog">
      <div class="search-field">
        <Icon name="search" />
        <input
          type="text"
          role="combobox"
          aria-label="Search tasks, memory, documents, sessions and commands"
          aria-expanded={results.length > 0}
          aria-controls="search-results"
          aria-activedescendant={results.length > 0 ? `result-${chosen}` : undefined}
          placeholder="Search tasks, memory, documents, sessions, commands"
          autocomplete="off"
          autofocus
          value={text}
          onInput={(event) => {
            setText(event.currentTarget.value);
            setChosen(0);
          }}
          onKeyDown={press}
        />
      </div>
      <div class="search-results" id="search-results" role="listbox" aria-label="Results">
        {results.map((result, i) => (
          <ResultRow key={`${result.kind} ${result.id}`} result={result} position={i} isChosen={i === chosen} onOpen={() => open(result)} />
        ))}
      </div>
      {results.length === 0 && (
        <p class="search-none muted">{text.trim() === '' ? 'Type to search.' : isCurrent ? 'Nothing found.' : 'Searching…'}</p>
      )}
    </Dialog>
  );
}

function ResultRow({ result, position, isChosen, onOpen }: { result: SearchHit; position: number; isChosen: boolean; onOpen: () => void }) {
  const { kind, id, title, task } = result;
  return (
    <div
      id={`result-${position}`}
      class="search-result"
      role="option"
      tabIndex={-1}
      aria-selected={isChosen}
      ref={(element) => {
        if (isChosen) element?.scrollIntoView({ block: 'nearest' });
      }}
      onClick={onOpen}
      onKeyDown={(event) => event.key === 'Enter' && onOpen()}
    >
      {task && <StateIcon status={task.status} />}
      {kind === 'task' && <TaskIdText id={id} type={task?.type} />}
      <span class="line">{title}</span>
      {kind === 'command' ? (
        <code class="line muted">{id}</code>
      ) : (
        kind !== 'task' && kind !== 'page' && <span class="line muted mono">{id}</span>
      )}
      <span class="result-kind">{kindText[kind]}</span>
    </div>
  );
}
