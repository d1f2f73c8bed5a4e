import { AddLine } from '../../components/add-line.tsx';
import { ask } from '../../components/ask-dialog.tsx';
import { Icon } from '../../components/icon.tsx';
import { Panel } from '../../components/panel.tsx';
import { TimeAgo } from '../../components/time-ago.tsx';
import { runAction } from '../../state/actions.ts';
import { updateTasks } from '../../state/task-actions.ts';
import type { FullTask } from './task-view.tsx';

type Criterion = NonNullable<FullTask['acceptance']>[number];
type StoredCriterion = Exclude<Criterion, { kind: 'child_task' }>;

/** Acceptance criteria with their state. Children are listed on their own. */
export function CriteriaList({ task, canWrite }: { task: FullTask; canWrite: boolean }) {
  const criteria = (task.acceptance ?? []).filter((each): each is StoredCriterion => each.kind !== 'child_task');
  const canChange = canWrite && task.status !== 'done';
  const save = async (next: StoredCriterion[]): Promise<boolean> => {
    const acceptance = next.map((each) => (each.kind === 'text' ? each.text : { kind: each.kind, gate: each.gate }));
    const reason = task.startedAt
      ? await ask({ title: 'Change the criteria after the start', label: 'Reason', confirm: 'Change' })
      : undefined;
    if (task.startedAt && reason === undefined) return false;
    return updateTasks([task.id], { acceptance, ...(reason ? { reason } : {}) });
  };
  return (
    <Panel title="Acceptance criteria" count={criteria.length}>
      {criteria.length === 0 && <p class="panel-none">No criteria.</p>}
      <ul class="criteria">
        {criteria.map((criterion, i) => (
          <li key={i} class="row">
            {criterion.kind === 'text' ? (
              <label class="criterion">
                <input
                  type="checkbox"
                  checked={criterion.met === true}
                  disabled={!canChange}
                  onChange={() =>
                    void runAction('tasks.criteria.check', { taskId: task.id, n: i + 1, ...(criterion.met ? { undo: true } : {}) })
                  }
                />
                <span class="text">{criterion.text}</span>
              </label>
            ) : (
              <span class="criterion">
                <Icon name={criterion.met ? 'check' : 'clock'} size={14} />
                <span>
                  Evidence for <code>{criterion.gate}</code> {criterion.met ? 'is there' : 'is missing'}
                </span>
              </span>
            )}
            <span class="row-end muted">
              {criterion.kind === 'text' && criterion.metAt && (
                <>
                  {criterion.metBy} <TimeAgo time={criterion.metAt} />
                </>
              )}
              {canChange && (
                <button
                  type="button"
                  class="button quiet small icon-only"
                  aria-label={`Remove criterion ${i + 1}`}
                  onClick={() => void save(criteria.filter((_, n) => n !== i))}
                >
                  <Icon name="close" size={12} />
                </button>
              )}
            </span>
          </li>
        ))}
      </ul>
      {canChange && (
        <AddLine label="New criterion" placeholder="Add a criterion" onAdd={(text) => save([...criteria, { kind: 'text', text }])} />
      )}
    </Panel>
  );
}
