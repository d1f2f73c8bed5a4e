import './now.css';
import { EmptyState, ErrorNote, LoadingLines } from '../../components/states.tsx';
import { useListKeys } from '../../components/use-list-keys.ts';
import { reloadTaskIndex, useTaskIndex } from '../../state/task-index.ts';
import { EpicList } from './epic-list.tsx';
import { FinishedList } from './finished-list.tsx';
import { WaitingList } from './waiting-list.tsx';
import { WarningList } from './warning-list.tsx';
import { WorkingList } from './working-list.tsx';

/** The start page: who works on what, what waits for a person, what was finished, and how far each epic is. */
export function NowView() {
  const index = useTaskIndex();
  useListKeys('.now');
  if (index.status === 'failed' && index.failure)
    return <ErrorNote isView failure={index.failure} onRetry={() => void reloadTaskIndex()} />;
  if (index.status === 'loading') return <LoadingLines count={8} />;
  return (
    <div class="view-scroll">
      <header class="view-head">
        <h1>Now</h1>
      </header>
      {index.tasks.size === 0 ? (
        <>
          <EmptyState title="No tasks yet" commands={['cleo add "Write the parser"']}>
            Add the first one here with <a href="/board">a quick add on the board</a>, or at a terminal:
          </EmptyState>
          <div class="view now-column">
            <WarningList tasks={index.tasks} />
            <WaitingList tasks={index.tasks} isHiddenIfEmpty />
          </div>
        </>
      ) : (
        <div class="view now">
          <div class="now-column">
            <WarningList tasks={index.tasks} />
            <WorkingList tasks={index.tasks} />
            <WaitingList tasks={index.tasks} />
          </div>
          <div class="now-column">
            <EpicList summaries={index.summaries} />
            <FinishedList tasks={index.tasks} />
          </div>
        </div>
      )}
    </div>
  );
}
