import { useState } from 'preact/hooks';
import { formatId } from '#core/terminal/cell.ts';
import { Icon } from '../../components/icon.tsx';
import { type Priority, priorities } from '../../components/priority-icon.tsx';
import { addTask } from '../../state/task-actions.ts';
import { useTaskIndex } from '../../state/task-index.ts';

/** Adds tasks one after another: Enter adds, Escape closes. */
export function QuickAdd({ epic, onClose }: { epic: string; onClose: () => void }) {
  const { summaries } = useTaskIndex();
  const [title, setTitle] = useState('');
  const [parent, setParent] = useState(epic);
  const [priority, setPriority] = useState<Priority>('medium');
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    const text = title.trim();
    if (text === '') return;
    const id = await addTask({ title: text, priority, ...(parent ? { parent } : {}) });
    if (id) setTitle('');
  };
  return (
    <form
      class="quick-add"
      aria-label="Add a task"
      onSubmit={submit}
      onKeyDown={(event) => {
        if (event.key === 'Escape') onClose();
      }}
    >
      <input
        class="field"
        aria-label="Title"
        placeholder="What to do, in the imperative"
        maxLength={200}
        autofocus
        ref={(element) => {
          if (element && !element.dataset.seen) {
            element.dataset.seen = 'true';
            element.focus();
          }
        }}
        value={title}
        onInput={(event) => setTitle(event.currentTarget.value)}
      />
      <select class="field" aria-label="Parent" value={parent} onChange={(event) => setParent(event.currentTarget.value)}>
        <option value="">no epic</option>
        {summaries.containers
          .filter(({ type, status }) => type === 'epic' && status !== 'done')
          .map(({ id, type, title: name }) => (
            <option key={id} value={id}>
              {formatId({ id, type })} {name}
            </option>
          ))}
      </select>
      <select class="field" aria-label="Priority" value={priority} onChange={(event) => setPriority(event.currentTarget.value as Priority)}>
        {priorities.map((each) => (
          <option key={each} value={each}>
            {each}
          </option>
        ))}
      </select>
      <button type="submit" class="button primary" disabled={title.trim() === ''}>
        Add
      </button>
      <button type="button" class="button quiet icon-only" aria-label="Close" onClick={onClose}>
        <Icon name="close" />
      </button>
    </form>
  );
}
