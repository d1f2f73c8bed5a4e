import { useState } from 'preact/hooks';
import { Avatar } from '../../components/agent-chip.tsx';
import { Markdown } from '../../components/markdown.tsx';
import { Panel } from '../../components/panel.tsx';
import { TimeAgo } from '../../components/time-ago.tsx';
import { updateTasks } from '../../state/task-actions.ts';
import type { FullTask } from './task-view.tsx';

/** Notes, the oldest first, and a field for a new one. */
export function NoteList({ task, canWrite }: { task: FullTask; canWrite: boolean }) {
  const [text, setText] = useState('');
  const notes = task.notes ?? [];
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    if (text.trim() !== '' && (await updateTasks([task.id], { notes: text.trim() }))) setText('');
  };
  return (
    <Panel title="Notes" count={notes.length}>
      {notes.length === 0 && <p class="panel-none">No notes.</p>}
      <ol class="notes">
        {notes.map(({ at, by, text: note }, i) => (
          <li key={i} class="note">
            <Avatar name={by} />
            <div>
              <p class="note-head">
                <strong>{by}</strong>
                <span class="muted">
                  <TimeAgo time={at} />
                </span>
              </p>
              <Markdown text={note} />
            </div>
          </li>
        ))}
      </ol>
      {canWrite && (
        <form class="panel-form" onSubmit={submit}>
          <textarea
            id="note-text"
            class="field"
            aria-label="New note"
            placeholder="Write a note (Markdown)"
            rows={2}
            maxLength={4000}
            value={text}
            onInput={(event) => setText(event.currentTarget.value)}
            onKeyDown={(event) => {
              if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) void submit(event);
            }}
          />
          <div class="dialog-actions">
            <button type="submit" class="button" disabled={text.trim() === ''}>
              Add the note
            </button>
          </div>
        </form>
      )}
    </Panel>
  );
}
