import { AddLine } from '../../components/add-line.tsx';
import { ask } from '../../components/ask-dialog.tsx';
import { Icon } from '../../components/icon.tsx';
import { Menu } from '../../components/menu.tsx';
import { Panel } from '../../components/panel.tsx';
import { TimeAgo } from '../../components/time-ago.tsx';
import { runAction } from '../../state/actions.ts';
import { updateTasks } from '../../state/task-actions.ts';
import type { FullTask } from './task-view.tsx';

type Criterion = NonNullable<FullTask['acceptance']>[number];
type StoredCriterion = Exclude<Criterion, { kind: 'child_task' }>;

const gates = ['implemented', 'testsPassed', 'qaPassed'] as const;

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
  const edit = async (changed: number, initial: string): Promise<void> => {
    const text = await ask({
      title: `Criterion ${changed + 1} of ${task.id}`,
      label: 'What must hold when it is done',
      initial,
      confirm: 'Change',
      isLong: true,
    });
    if (text !== undefined && text !== initial)
      await save(criteria.map((each, i) => (i === changed ? { kind: 'text' as const, text } : each)));
  };
  const unbound = gates.filter((gate) => !criteria.some((each) => each.kind === 'evidence_bound' && each.gate === gate));
  return (
    <Panel
      title="Acceptance criteria"
      count={criteria.length}
      actions={
        canChange &&
        unbound.length > 0 && (
          <Menu
            label="Require evidence"
            className="button quiet small"
            items={unbound.map((gate) => ({ label: gate, run: () => void save([...criteria, { kind: 'evidence_bound', gate }]) }))}
          >
            Require evidence <Icon name="down" size={12} />
          </Menu>
        )
      }
    >
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
              {canChange && criterion.kind === 'text' && (
                <button
                  type="button"
                  class="button quiet small icon-only"
                  aria-label={`Edit criterion ${i + 1}`}
                  onClick={() => void edit(i, criterion.text)}
                >
                  <Icon name="edit" size={12} />
                </button>
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
