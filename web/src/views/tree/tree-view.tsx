import './tree.css';
import { useMemo, useState } from 'preact/hooks';
import { FilterText } from '../../components/filter.tsx';
import { EmptyState, ErrorNote, LoadingLines } from '../../components/states.tsx';
import { toTaskUrl } from '../../components/task-id.tsx';
import { VirtualList } from '../../components/virtual-list.tsx';
import { navigate, setParams, useParam } from '../../router.ts';
import { useCanWrite } from '../../state/actions.ts';
import { useShortcuts } from '../../state/shortcuts.ts';
import { reloadTaskIndex, useTaskIndex } from '../../state/task-index.ts';
import { TreeRowLine } from './tree-row.tsx';
import { buildTreeRows, type Expansion, type TreeRow } from './tree-rows.ts';

/** The height of a row, as tree.css draws it. */
const rowHeight = 36;

/** Sagas, epics, tasks and subtasks with their progress. Titles and states are changed in place. */
export function TreeView() {
  const index = useTaskIndex();
  const canWrite = useCanWrite();
  const [text] = useParam('text');
  const [expand, setExpand] = useParam('expand', 'default');
  const [changed, setChanged] = useState<ReadonlySet<string>>(new Set());
  const [cursor, setCursor] = useState<string | undefined>();
  const [edited, setEdited] = useState<string | undefined>();
  const base = (['all', 'none'] as const).find((each) => each === expand) ?? 'default';
  const expansion: Expansion = { base, changed };
  const rows = useMemo(() => buildTreeRows(index.summaries, index.tasks.size, expansion, text), [index, base, changed, text]);

  const toggle = (id: string): void => {
    const next = new Set(changed);
    if (!next.delete(id)) next.add(id);
    setChanged(next);
  };
  const expandAll = (next: 'all' | 'none'): void => {
    setChanged(new Set());
    setExpand(next);
  };
  const at = rows.findIndex(({ task }) => task.id === cursor);
  const move = (step: number): void => setCursor(rows[at < 0 ? 0 : Math.max(0, Math.min(rows.length - 1, at + step))]?.task.id);
  const setOpen = (isOpen: boolean): void => {
    const row = rows[at];
    if (row && row.childCount > 0 && row.isOpen !== isOpen) toggle(row.task.id);
  };
  useShortcuts('Tree', [
    { keys: 'j', about: 'Next row', run: () => move(1) },
    { keys: 'k', about: 'Previous row', run: () => move(-1) },
    { keys: 'l', about: 'Expand', run: () => setOpen(true) },
    { keys: 'h', about: 'Collapse', run: () => setOpen(false) },
    { keys: 'Enter', about: 'Open the task', run: () => cursor && navigate(toTaskUrl(cursor)) },
    { keys: 'e', about: 'Edit the title', run: () => setEdited(canWrite ? cursor : undefined) },
    { keys: 'f', about: 'Filter by text', run: () => document.getElementById('tree-text')?.focus() },
  ]);

  if (index.status === 'failed' && index.failure)
    return <ErrorNote isView failure={index.failure} onRetry={() => void reloadTaskIndex()} />;
  if (index.status === 'loading') return <LoadingLines count={8} />;
  return (
    <>
      <header class="view-head tree-head">
        <h1>Tree</h1>
        <FilterText id="tree-text" />
        <span class="spacer" />
        <button type="button" class="button" onClick={() => expandAll('all')}>
          Expand all
        </button>
        <button type="button" class="button" onClick={() => expandAll('none')}>
          Collapse all
        </button>
      </header>
      {index.tasks.size === 0 ? (
        <EmptyState title="No tasks yet" commands={['cleo add "Parser" --type epic', 'cleo add "Write the lexer" --parent T001']}>
          An epic contains tasks, and a task contains subtasks:
        </EmptyState>
      ) : rows.length === 0 ? (
        <EmptyState title="No task matches this text">
          <button type="button" class="button" onClick={() => setParams({ text: '' })}>
            Show all tasks
          </button>
        </EmptyState>
      ) : (
        <VirtualList<TreeRow>
          className="tree panel"
          label="Tasks by parent"
          rows={rows}
          getHeight={() => rowHeight}
          getKey={({ task }) => task.id}
          visibleIndex={at < 0 ? undefined : at}
          render={(row) => (
            <TreeRowLine
              row={row}
              progress={index.summaries.progressOf.get(row.task.id)}
              rolledUp={index.summaries.rolledUpOf.get(row.task.id)}
              isCursor={row.task.id === cursor}
              isEdited={row.task.id === edited}
              canWrite={canWrite}
              onToggle={toggle}
              onEdit={setEdited}
            />
          )}
        />
      )}
    </>
  );
}
