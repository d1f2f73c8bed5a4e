import { useEffect, useRef } from 'preact/hooks';
import { formatDuration } from '#lib/ago.ts';
import { formatTokenUsage } from '#lib/format-usage.ts';
import type { Result } from '../../api/operations.generated.ts';
import { Icon } from '../../components/icon.tsx';
import { Menu } from '../../components/menu.tsx';
import { Panel } from '../../components/panel.tsx';
import { TaskLink } from '../../components/task-id.tsx';
import { TimeAgo } from '../../components/time-ago.tsx';
import { getRecordUrl } from '../../routes.ts';
import { useCanWrite } from '../../state/actions.ts';
import { useQuery } from '../../state/use-query.ts';
import { stopWork } from './run-actions.ts';
import { RunState } from './run-state.tsx';

type Work = Result<'work.status'>['work'];

/** The state of work is files, not entries of the log. */
const refreshMs = 2000;
const activeStates = ['working', 'checking', 'judging', 'integrating'];

/** The `cleo work` that run on the server's machine, and what their agents do. Nothing is shown where nobody used it. */
export function WorkPanel() {
  const { data } = useQuery('work.status', {}, { isAffected: ({ operation }) => operation.startsWith('work.'), refreshMs });
  const { processes = [], tasks = [], elsewhere = [] } = data?.work ?? {};
  if (processes.length + tasks.length + elsewhere.length === 0) return null;
  return (
    <Panel title="Work" count={tasks.filter(({ state }) => activeStates.includes(state)).length + elsewhere.length}>
      <ul class="rows">
        {processes.map(({ id, profile, parallel, scope, startedAt, tasks: count, failures, usage, ending }) => (
          <li key={id} class="row" data-nav>
            <Icon name="runs" />
            <span class="line">
              <strong>cleo work</strong> {profile} × {parallel} {scope && <span class="muted">{scope}</span>}
            </span>
            <span class="row-end muted">
              <span>
                {count} done or released
                {failures > 0 && <span class="run-failed">, {failures} given up</span>}
              </span>
              <span>{formatTokenUsage(usage)}</span>
              {ending && <span class="line">starts no further task: {ending}</span>}
              <TimeAgo time={startedAt} />
              <StopMenu name={`cleo work ${id}`} />
            </span>
          </li>
        ))}
        {tasks.map((task) => (
          <TaskRow key={task.taskId} task={task} />
        ))}
        {elsewhere.map(({ taskId, profile }) => (
          <li key={taskId} class="row run-row" data-nav>
            <RunState status="working" />
            <TaskLink id={taskId} />
            <span class="row-end muted">{profile}, on another machine</span>
          </li>
        ))}
      </ul>
    </Panel>
  );
}

/** A task of an agent: its state, the last line that the agent wrote, its cost, and its branch. */
function TaskRow({ task }: { task: Work['tasks'][number] }) {
  const { taskId, title, state, agentId, profile, round, elapsedMs, usage, lastLine, branch, note, runId } = task;
  const said = note ?? lastLine;
  return (
    <li class="row run-row work-row" data-nav>
      <RunState status={state} />
      <TaskLink id={taskId} title={title} />
      <span class="row-end muted">
        <a class="line" href={getRecordUrl('run', runId)} title={`${agentId}: ${runId}`}>
          {profile}
          {round > 1 && `, round ${round}`}
        </a>
        {branch && <code class="line">{branch}</code>}
        <span>{formatTokenUsage(usage)}</span>
        <span>{formatDuration(elapsedMs)}</span>
        {activeStates.includes(state) && <StopMenu name={taskId} taskId={taskId} />}
      </span>
      {said && <span class="work-line line muted">{said}</span>}
    </li>
  );
}

/** Stops one task, or every `cleo work` of the machine. */
function StopMenu({ name, taskId }: { name: string; taskId?: string }) {
  const canWrite = useCanWrite();
  const ended = useRef(new AbortController());
  // The menu is gone as soon as the work has ended.
  useEffect(() => () => ended.current.abort(), []);
  const stop = (isNow: boolean): void => void stopWork({ taskId, isNow }, ended.current.signal);
  return (
    <Menu
      label={`Stop ${name}`}
      className="button small"
      disabled={!canWrite}
      items={[
        { label: taskId ? 'After this round' : 'Start no further task', run: () => stop(false) },
        { label: taskId ? 'Now; its worktree remains' : 'End all agents now', run: () => stop(true) },
      ]}
    >
      Stop <Icon name="down" size={12} />
    </Menu>
  );
}
