import { useState } from 'preact/hooks';
import { Icon } from '../../components/icon.tsx';
import { Markdown } from '../../components/markdown.tsx';
import { Panel } from '../../components/panel.tsx';
import { updateTasks } from '../../state/task-actions.ts';
import type { FullTask } from './task-view.tsx';

export function DescriptionPanel({ task, canWrite }: { task: FullTask; canWrite: boolean }) {
  const [draft, setDraft] = useState<string | undefined>();
  const { id, description } = task;
  const save = async (): Promise<void> => {
    // The revision guards against overwriting what an agent wrote since.
    if (draft !== undefined && (await updateTasks([id], { description: draft, expectRevision: task.revision }))) setDraft(undefined);
  };
  return (
    <Panel
      title="Description"
      actions={
        canWrite &&
        draft === undefined && (
          <button
            type="button"
            class="button quiet small icon-only"
            data-action="edit-description"
            aria-label="Edit the description"
            onClick={() => setDraft(description ?? '')}
          >
            <Icon name="edit" size={14} />
          </button>
        )
      }
    >
      {draft !== undefined ? (
        <div class="panel-form">
          <textarea
            class="field"
            aria-label="Description, in Markdown"
            rows={12}
            maxLength={8000}
            autofocus
            value={draft}
            onInput={(event) => setDraft(event.currentTarget.value)}
            onKeyDown={(event) => {
              if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) void save();
              if (event.key === 'Escape') setDraft(undefined);
              event.stopPropagation();
            }}
          />
          <div class="dialog-actions">
            <button type="button" class="button" onClick={() => setDraft(undefined)}>
              Cancel
            </button>
            <button type="button" class="button primary" onClick={() => void save()}>
              Save
            </button>
          </div>
        </div>
      ) : description ? (
        <div class="panel-body">
          <Markdown text={description} />
        </div>
      ) : (
        <p class="panel-none">No description.</p>
      )}
    </Panel>
  );
}
