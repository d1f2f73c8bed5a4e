import './log.css';
import { useEffect, useState } from 'preact/hooks';
import { EmptyState, ErrorNote, LoadingLines } from '../../components/states.tsx';
import { useListKeys } from '../../components/use-list-keys.ts';
import { VirtualList } from '../../components/virtual-list.tsx';
import { setParams, useParam } from '../../router.ts';
import { useShortcuts } from '../../state/shortcuts.ts';
import { useQuery } from '../../state/use-query.ts';
import { ChainStatus, getBrokenSeq } from './chain-status.tsx';
import { EntryDialog } from './entry-dialog.tsx';
import { LogFilters, useLogQuery } from './log-filters.tsx';
import { LogRow } from './log-row.tsx';
import { ReleaseList } from './release-list.tsx';
import { type LogEntry, useLog } from './use-log.ts';

/** The audit log with the state of its chain, and the releases. */
export function LogView() {
  const [shown, setShown] = useParam('show', 'log');
  const isLog = shown !== 'releases';
  return (
    <>
      <header class="view-head">
        <h1>Log</h1>
        <span class="segments" role="group" aria-label="Log or releases">
          <button type="button" aria-pressed={isLog} onClick={() => setShown('log')}>
            Audit log
          </button>
          <button type="button" aria-pressed={!isLog} onClick={() => setShown('releases')}>
            Releases
          </button>
        </span>
      </header>
      {isLog ? <AuditLog /> : <Releases />}
    </>
  );
}

function Releases() {
  useListKeys('.log-releases');
  return (
    <div class="view-scroll">
      <ReleaseList />
    </div>
  );
}

/** Rows before the end of the list at which older entries are read. */
const loadMargin = 60;

function AuditLog() {
  const filter = useLogQuery();
  const { entries, isComplete, isLoading, failure, loadOlder, reload } = useLog(filter);
  // Verifying reads the whole log, so it is done when the view is opened and when a person asks for it.
  const verified = useQuery('admin.audit.verify', {}, { isAffected: () => false });
  const [opened, setOpened] = useParam('entry');
  const [cursor, setCursor] = useState<number | undefined>();
  const open = (seq: number): void => setOpened(String(seq));
  const at = entries.findIndex(({ seq }) => seq === cursor);
  const move = (step: number): void => {
    const next = at < 0 ? 0 : Math.max(0, Math.min(entries.length - 1, at + step));
    setCursor(entries[next]?.seq);
    if (next > entries.length - loadMargin) loadOlder();
  };
  useShortcuts('Log', [
    { keys: 'j', about: 'Next entry', run: () => move(1) },
    { keys: 'k', about: 'Previous entry', run: () => move(-1) },
    { keys: 'Enter', about: 'Open the entry', run: () => cursor !== undefined && open(cursor) },
    { keys: 'f', about: 'Filter by operation', run: () => document.getElementById('log-operation')?.focus() },
    { keys: 'v', about: 'Verify the chain', run: verified.reload },
  ]);
  const rowHeight = useRowHeight();
  const hasFilter = Object.keys(filter).length > 0;
  const brokenSeq = getBrokenSeq(verified);
  return (
    <>
      <div class="log-head">
        <LogFilters entries={entries} />
      </div>
      <ChainStatus verified={verified} onOpen={open} />
      {failure && <ErrorNote failure={failure} onRetry={reload} />}
      {isLoading && <LoadingLines count={8} />}
      {!isLoading && entries.length === 0 && !failure && (
        <EmptyState title={hasFilter ? 'No entry matches' : 'The log is empty'} commands={hasFilter ? [] : ['cleo add "Write the parser"']}>
          {hasFilter ? (
            <button
              type="button"
              class="button"
              onClick={() => setParams({ operation: '', agent: '', session: '', task: '', outcome: '', since: '', until: '' })}
            >
              Show all entries
            </button>
          ) : (
            'Every write is recorded here, with who called it and what changed. At a terminal:'
          )}
        </EmptyState>
      )}
      {entries.length > 0 && (
        <VirtualList<LogEntry>
          className="log panel"
          label={`Entries of the log, the newest first${isComplete ? '' : '; older ones follow'}`}
          rows={entries}
          getHeight={() => rowHeight}
          getKey={({ seq }) => String(seq)}
          visibleIndex={at < 0 ? undefined : at}
          render={(entry, index) => (
            <>
              {index === entries.length - loadMargin && !isComplete && <LoadMark key={entries.length} onShow={loadOlder} />}
              {index === entries.length - 1 && !isComplete && <LoadMark key={-entries.length} onShow={loadOlder} />}
              <LogRow entry={entry} isCursor={entry.seq === cursor} isBroken={entry.seq === brokenSeq} onOpen={open} />
            </>
          )}
        />
      )}
      {/^\d{1,9}$/.test(opened) && <EntryDialog seq={Number(opened)} onClose={() => setOpened('')} />}
    </>
  );
}

/** Reads older entries as soon as the row that contains it is drawn. */
function LoadMark({ onShow }: { onShow: () => void }) {
  useEffect(onShow, []);
  return null;
}

/** The height of a row, as log.css draws it: two lines in a narrow window. */
function useRowHeight(): number {
  const [isNarrow, setNarrow] = useState(() => narrow.matches);
  useEffect(() => {
    const update = (): void => setNarrow(narrow.matches);
    narrow.addEventListener('change', update);
    return () => narrow.removeEventListener('change', update);
  }, []);
  return isNarrow ? 56 : 34;
}

const narrow = matchMedia('(max-width: 760px)');
