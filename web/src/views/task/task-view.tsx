import './task.css';
import { useEffect } from 'preact/hooks';
import { parseTaskId } from '#core/model/scalars.ts';
import type { Result } from '../../api/operations.generated.ts';
import { CopyCommand } from '../../components/copy-command.tsx';
import { ErrorNote, LoadingLines } from '../../components/states.tsx';
import { navigate } from '../../router.ts';
import { runAction, useCanWrite } from '../../state/actions.ts';
import { useShortcuts } from '../../state/shortcuts.ts';
import { createIdCheck, useQuery } from '../../state/use-query.ts';
import { ChildList } from './child-list.tsx';
import { ContextPack } from './context-pack.tsx';
import { CriteriaList } from './criteria-list.tsx';
import { DependencyList } from './dependency-list.tsx';
import { DescriptionPanel } from './description-panel.tsx';
import { GateList } from './gate-list.tsx';
import { HistoryPanel } from './history-panel.tsx';
import { LinkedRecords } from './linked-records.tsx';
import { NoteList } from './note-list.tsx';
import { RelationList } from './relation-list.tsx';
import { StageList } from './stage-list.tsx';
import { TaskHead } from './task-head.tsx';
import { TaskProperties } from './task-properties.tsx';

export type FullTask = NonNullable<Result<'tasks.show'>['task']>;
export type TaskClaim = NonNullable<Result<'tasks.show'>['claim']>;

/** Everything about one task, and every change that a command can make to it. */
export function TaskView({ id }: { id: string }) {
  const taskId = parseTaskId(id) ?? id;
  const { data, failure, reload } = useQuery('tasks.show', { taskId }, { isAffected: createIdCheck(taskId), refreshMs: 60_000 });
  const canWrite = useCanWrite();
  const task = data?.task;
  useEffect(() => {
    if (task) document.title = `${task.id} ${task.title}`;
  }, [task?.id, task?.title]);
  useShortcuts('Task', [
    { keys: 'e', about: 'Edit the title', run: () => clickAction('edit-title') },
    { keys: 'd', about: 'Edit the description', run: () => clickAction('edit-description') },
    { keys: 'n', about: 'Write a note', run: () => document.getElementById('note-text')?.focus() },
    { keys: 'Escape', about: 'Back', run: () => history.back() },
  ]);

  if (failure?.code === 'E_NOT_FOUND') return <MissingTask id={taskId} canWrite={canWrite} />;
  if (failure && !task) return <ErrorNote isView failure={failure} onRetry={reload} />;
  if (!task) return <LoadingLines count={10} />;
  return (
    <div class="view-scroll">
      <div class="view task">
        <TaskHead task={task} claim={data.claim} canWrite={canWrite} />
        <div class="task-main">
          <DescriptionPanel task={task} canWrite={canWrite} />
          <CriteriaList task={task} canWrite={canWrite} />
          <GateList task={task} canWrite={canWrite} />
          {task.type === 'epic' && <StageList epicId={task.id} canWrite={canWrite} />}
          <ChildList task={task} canWrite={canWrite} />
          <NoteList task={task} canWrite={canWrite} />
          <HistoryPanel taskId={task.id} />
        </div>
        <aside class="task-side" aria-label="Properties">
          <TaskProperties task={task} claim={data.claim} canWrite={canWrite} />
          <DependencyList task={task} canWrite={canWrite} />
          <RelationList task={task} canWrite={canWrite} />
          <LinkedRecords taskId={task.id} canWrite={canWrite} />
          <ContextPack taskId={task.id} />
        </aside>
      </div>
    </div>
  );
}

const clickAction = (name: string): void => document.querySelector<HTMLElement>(`[data-action=${name}]`)?.click();

/** A task that does not exist may have been deleted; it can be restored. */
function MissingTask({ id, canWrite }: { id: string; canWrite: boolean }) {
  const { data } = useQuery('tasks.history', { taskId: id, limit: 1 });
  const restore = async (): Promise<void> => {
    if (await runAction('tasks.restore', { taskId: id, cascade: true }, `Restored ${id}`))
      navigate(`/task/${id}?restored=1`, { replace: true });
  };
  return (
    <div class="empty-state">
      <h1 class="empty-title">{data ? `${id} was deleted` : `There is no task ${id}`}</h1>
      {data && canWrite ? (
        <button type="button" class="button" onClick={() => void restore()}>
          Restore it
        </button>
      ) : (
        <CopyCommand command={data ? `cleo restore ${id}` : `cleo find --id ${id.replace(/\D/g, '') || '1'}`} />
      )}
    </div>
  );
}
