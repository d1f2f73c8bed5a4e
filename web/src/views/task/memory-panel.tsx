import { useState } from 'preact/hooks';
import type { Params } from '../../api/operations.generated.ts';
import { Panel } from '../../components/panel.tsx';
import { getRecordUrl } from '../../routes.ts';
import { runAction } from '../../state/actions.ts';
import { useQuery } from '../../state/use-query.ts';
import { AddButton, RecordLink } from './record-row.tsx';

const maxShown = 50;
const types: Params<'memory.store'>['type'][] = ['observation', 'decision', 'pattern', 'learning'];

/** Memory about the task, and a form that stores a further entry about it. */
export function MemoryPanel({ taskId, canWrite }: { taskId: string; canWrite: boolean }) {
  const [isAdding, setAdding] = useState(false);
  const { data } = useQuery('memory.find', { task: taskId, limit: maxShown });
  const memories = data?.memories ?? [];
  if (memories.length === 0 && !canWrite) return null;
  return (
    <Panel
      title="Memory"
      count={memories.length}
      actions={canWrite && <AddButton label="Add to memory" isOpen={isAdding} onToggle={() => setAdding(!isAdding)} />}
    >
      {data && memories.length === 0 && !isAdding && <p class="panel-none">None.</p>}
      {memories.length > 0 && (
        <ul class="side-group">
          {memories.map(({ id, title, confirmation_state }) => (
            <li key={id} class="side-row">
              <span class="task-id">{id}</span>
              <RecordLink url={getRecordUrl('memory', id)}>{title}</RecordLink>
              <span class="muted">{confirmation_state}</span>
            </li>
          ))}
        </ul>
      )}
      {isAdding && <MemoryForm taskId={taskId} onDone={() => setAdding(false)} />}
    </Panel>
  );
}

function MemoryForm({ taskId, onDone }: { taskId: string; onDone: () => void }) {
  const [type, setType] = useState(types[0]!);
  const [content, setContent] = useState('');
  const [title, setTitle] = useState('');
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    const params = { type, content: content.trim(), task: taskId, ...(title.trim() ? { title: title.trim() } : {}) };
    if (await runAction('memory.store', params, ({ memory }) => `Stored ${memory.id}`)) onDone();
  };
  return (
    <form class="panel-form" onSubmit={submit}>
      <select
        class="field"
        aria-label="Type of the entry"
        value={type}
        onChange={(event) => setType(event.currentTarget.value as typeof type)}
      >
        {types.map((each) => (
          <option key={each}>{each}</option>
        ))}
      </select>
      <input
        class="field"
        aria-label="Title of the entry"
        placeholder="Title (optional)"
        maxLength={200}
        value={title}
        onInput={(event) => setTitle(event.currentTarget.value)}
      />
      <textarea
        class="field"
        aria-label="Content of the entry"
        placeholder="What agents should know (Markdown)"
        rows={4}
        value={content}
        onInput={(event) => setContent(event.currentTarget.value)}
      />
      <div class="dialog-actions">
        <button type="submit" class="button" disabled={content.trim() === ''}>
          Store
        </button>
      </div>
    </form>
  );
}
