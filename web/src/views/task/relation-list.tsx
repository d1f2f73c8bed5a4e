import { useState } from 'preact/hooks';
import { parseTaskId } from '#core/model/scalars.ts';
import type { Params } from '../../api/operations.generated.ts';
import { Panel } from '../../components/panel.tsx';
import { TaskLink } from '../../components/task-id.tsx';
import { runAction } from '../../state/actions.ts';
import { useQuery } from '../../state/use-query.ts';
import { AddButton, RemoveButton } from './record-row.tsx';
import type { FullTask } from './task-view.tsx';

type RelationType = NonNullable<FullTask['relations']>[number]['type'];
const types: RelationType[] = ['related', 'blocks', 'duplicates', 'absorbs', 'fixes', 'extends', 'supersedes'];

export function RelationList({ task, canWrite }: { task: FullTask; canWrite: boolean }) {
  const [isAdding, setAdding] = useState(false);
  const relations = task.relations ?? [];
  if (relations.length === 0 && !canWrite) return null;
  return (
    <Panel
      title="Relations"
      count={relations.length}
      actions={canWrite && <AddButton label="Add a relation" isOpen={isAdding} onToggle={() => setAdding(!isAdding)} />}
    >
      {relations.length === 0 && !isAdding && <p class="panel-none">None.</p>}
      <ul class="side-group">
        {relations.map(({ taskId, type, reason, direction }) => {
          const [from, to] = direction === 'to' ? [task.id, taskId] : [taskId, task.id];
          return (
            <li key={`${from} ${type} ${to}`} class="relation">
              <span class="side-row">
                <span class="muted">{direction === 'to' ? type : `${type} (from)`}</span>
                <TaskLink id={taskId} />
                {canWrite && (
                  <RemoveButton
                    label={`Remove the relation with ${taskId}`}
                    onRemove={() => void runAction('tasks.relates.remove', { from, to, type })}
                  />
                )}
              </span>
              <span class="muted text">{reason}</span>
            </li>
          );
        })}
      </ul>
      {isAdding && <RelationForm from={task.id} onDone={() => setAdding(false)} />}
    </Panel>
  );
}

function RelationForm({ from, onDone }: { from: string; onDone: () => void }) {
  const [to, setTo] = useState('');
  const [type, setType] = useState<RelationType>('related');
  const [reason, setReason] = useState('');
  const suggestions = useQuery('tasks.relates.suggest', { taskId: from, limit: 8 }).data?.suggestions ?? [];
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    const id = to.trim().split(/\s/)[0]!;
    const relation: Params<'tasks.relates.add'> = { from, to: parseTaskId(id) ?? id, type, reason: reason.trim() };
    if (await runAction('tasks.relates.add', relation, `Related ${from} and ${relation.to}`)) onDone();
  };
  return (
    <form class="panel-form" onSubmit={submit}>
      <select
        class="field"
        aria-label="Type of the relation"
        value={type}
        onChange={(event) => setType(event.currentTarget.value as RelationType)}
      >
        {types.map((each) => (
          <option key={each}>{each}</option>
        ))}
      </select>
      <input
        class="field"
        aria-label="Other task"
        placeholder={suggestions[0]?.taskId ?? 'T002'}
        list="related-tasks"
        autocomplete="off"
        value={to}
        onInput={(event) => setTo(event.currentTarget.value)}
      />
      <datalist id="related-tasks">
        {suggestions.map(({ taskId, title }) => (
          <option key={taskId} value={`${taskId} ${title}`} />
        ))}
      </datalist>
      <input
        class="field"
        aria-label="Reason"
        placeholder="Why they are related"
        value={reason}
        onInput={(event) => setReason(event.currentTarget.value)}
      />
      <div class="dialog-actions">
        <button type="submit" class="button" disabled={to.trim() === '' || reason.trim() === ''}>
          Relate
        </button>
      </div>
    </form>
  );
}
