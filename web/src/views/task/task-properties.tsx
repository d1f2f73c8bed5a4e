import type { ComponentChildren } from 'preact';
import { Avatar } from '../../components/agent-chip.tsx';
import { ask, type Question } from '../../components/ask-dialog.tsx';
import { Icon } from '../../components/icon.tsx';
import { Menu } from '../../components/menu.tsx';
import { Panel } from '../../components/panel.tsx';
import { PriorityIcon, priorities } from '../../components/priority-icon.tsx';
import { TaskLink, toTaskUrl } from '../../components/task-id.tsx';
import { TimeAgo } from '../../components/time-ago.tsx';
import { assignTasks, moveToParent, setPriority, updateTasks } from '../../state/task-actions.ts';
import { taskIndex } from '../../state/task-index.ts';
import { StageIcon, useStages } from './stage-list.tsx';
import type { FullTask, TaskClaim } from './task-view.tsx';

const sizes = ['small', 'medium', 'large'] as const;
const tiers = ['saga', 'epic', 'task', 'subtask'] as const;

/** The fields of a task, each changed by a click. */
export function TaskProperties({ task, claim, canWrite }: { task: FullTask; claim: TaskClaim | undefined; canWrite: boolean }) {
  const { id, priority, size, type, parentId, assignee, due, labels = [], phase, files = [], requires = [], aliases = [] } = task;
  const ids = [id];
  return (
    <Panel title="Properties">
      <dl class="properties">
        <Property name="Priority">
          <Menu
            label="Priority"
            className="property-value"
            hasText
            disabled={!canWrite}
            items={priorities.map((each) => ({
              label: each,
              icon: <PriorityIcon priority={each} isLabelled />,
              isChecked: each === priority,
              run: () => void setPriority(ids, each),
            }))}
          >
            <PriorityIcon priority={priority} isLabelled /> {priority}
          </Menu>
        </Property>
        <Property name="Assignee">
          <EditButton label="Assignee" canWrite={canWrite} onEdit={() => void assignTasks(ids)}>
            {assignee ? (
              <>
                <Avatar name={assignee} />
                <span class="line">{assignee}</span>
              </>
            ) : (
              <span class="muted">not assigned</span>
            )}
          </EditButton>
        </Property>
        <Property name="Due">
          <EditButton
            label="Due date"
            canWrite={canWrite}
            onEdit={() =>
              void askFor(
                {
                  title: `Due date of ${id}`,
                  label: 'Day',
                  hint: '2026-01-31, today, 3d or 2w; empty: no day.',
                  initial: due ?? '',
                  confirm: 'Set',
                  isOptional: true,
                },
                (text) => updateTasks(ids, { due: text || 'none' }),
              )
            }
          >
            {due ?? <span class="muted">no day</span>}
          </EditButton>
        </Property>
        <Property name="Labels">
          <EditButton
            label="Labels"
            canWrite={canWrite}
            onEdit={() =>
              void askFor(
                {
                  title: `Labels of ${id}`,
                  label: 'Labels, separated by commas',
                  initial: labels.join(', '),
                  confirm: 'Set',
                  isOptional: true,
                  suggestions: taskIndex.get().summaries.labels,
                },
                (text) => updateTasks(ids, { labels: splitList(text) }),
              )
            }
          >
            {labels.length > 0 ? (
              labels.map((label) => (
                <span key={label} class="label line">
                  {label}
                </span>
              ))
            ) : (
              <span class="muted">none</span>
            )}
          </EditButton>
        </Property>
        <Property name="Size">
          <Menu
            label="Size"
            className="property-value"
            hasText
            disabled={!canWrite}
            items={sizes.map((each) => ({ label: each, isChecked: each === size, run: () => void updateTasks(ids, { size: each }) }))}
          >
            {size ?? <span class="muted">not set</span>}
          </Menu>
        </Property>
        <Property name="Tier">
          <Menu
            label="Tier"
            className="property-value"
            hasText
            disabled={!canWrite}
            items={tiers.map((each) => ({ label: each, isChecked: each === type, run: () => void updateTasks(ids, { type: each }) }))}
          >
            {type}
          </Menu>
        </Property>
        <Property name="Parent">
          {parentId && <TaskLink id={parentId} />}
          <EditButton label="Parent" canWrite={canWrite} onEdit={() => void moveToParent(ids)}>
            {parentId ? <Icon name="edit" size={13} /> : <span class="muted">top level</span>}
          </EditButton>
        </Property>
        {task.epicId && task.epicId !== id && <EpicStage epicId={task.epicId} />}
        <Property name="Phase">
          <EditButton
            label="Phase"
            canWrite={canWrite}
            onEdit={() =>
              void askFor({ title: `Phase of ${id}`, label: 'Phase', initial: phase ?? '', confirm: 'Set' }, (text) =>
                updateTasks(ids, { phase: text }),
              )
            }
          >
            {phase ?? <span class="muted">none</span>}
          </EditButton>
        </Property>
        <Property name="Files">
          <EditButton
            label="Files"
            canWrite={canWrite}
            onEdit={() =>
              void askFor(
                {
                  title: `Files of ${id}`,
                  label: 'Paths, one per line',
                  initial: files.join('\n'),
                  confirm: 'Set',
                  isLong: true,
                  isOptional: true,
                },
                (text) =>
                  updateTasks(ids, {
                    files: text
                      .split('\n')
                      .map((line) => line.trim())
                      .filter(Boolean),
                  }),
              )
            }
          >
            {files.length > 0 ? (
              <span class="files">
                {files.map((file) => (
                  <code key={file} class="text">
                    {file}
                  </code>
                ))}
              </span>
            ) : (
              <span class="muted">none</span>
            )}
          </EditButton>
        </Property>
        <Property name="Requires">
          <EditButton
            label="Capabilities"
            canWrite={canWrite}
            onEdit={() =>
              void askFor(
                {
                  title: `Capabilities that ${id} requires`,
                  label: 'Separated by commas',
                  initial: requires.join(', '),
                  confirm: 'Set',
                  isOptional: true,
                },
                (text) => updateTasks(ids, { requires: splitList(text) }),
              )
            }
          >
            {requires.length > 0 ? requires.join(', ') : <span class="muted">nothing</span>}
          </EditButton>
        </Property>
        {claim && (
          <Property name="Lease">
            <span class="property-text">
              ends <TimeAgo time={claim.until} /> {claim.session && <span class="mono muted">{claim.session}</span>}
            </span>
          </Property>
        )}
        {aliases.length > 0 && (
          <Property name="Also">
            <span class="property-text">{aliases.map(({ tool, id: other }) => `${tool} ${other}`).join(', ')}</span>
          </Property>
        )}
        <Property name="Created">
          <span class="property-text">
            <TimeAgo time={task.createdAt} /> by {task.createdBy}
          </span>
        </Property>
        <Property name="Changed">
          <span class="property-text">
            <TimeAgo time={task.updatedAt} /> · revision {task.revision}
          </span>
        </Property>
        {task.completedAt && (
          <Property name="Completed">
            <span class="property-text">
              <TimeAgo time={task.completedAt} />
            </span>
          </Property>
        )}
      </dl>
    </Panel>
  );
}

/** The stage that the epic of a task is in; nothing if the epic has not entered any. */
function EpicStage({ epicId }: { epicId: string }) {
  const stages = useStages(epicId).data?.lifecycle.stages.filter(({ by }) => by !== undefined) ?? [];
  const stage = stages.find(({ status }) => status === 'active') ?? stages.at(-1);
  if (!stage) return null;
  return (
    <Property name="Stage">
      <a class="property-value" href={toTaskUrl(epicId)} title={`Stage of ${epicId}`}>
        <StageIcon status={stage.status} /> {stage.stage} {stage.status}
      </a>
    </Property>
  );
}

const splitList = (text: string): string[] => text.split(/[\s,]+/).filter(Boolean);

async function askFor(question: Question, save: (text: string) => Promise<boolean>): Promise<void> {
  const text = await ask(question);
  if (text !== undefined) await save(text);
}

const Property = ({ name, children }: { name: string; children: ComponentChildren }) => (
  <div>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
);

const EditButton = ({
  label,
  canWrite,
  onEdit,
  children,
}: {
  label: string;
  canWrite: boolean;
  onEdit: () => void;
  children: ComponentChildren;
}) =>
  canWrite ? (
    <button type="button" class="property-value" onClick={onEdit}>
      <span class="visually-hidden">Change: {label} </span>
      {children}
    </button>
  ) : (
    <span class="property-text">{children}</span>
  );
