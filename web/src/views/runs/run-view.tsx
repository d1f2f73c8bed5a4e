import './runs.css';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { formatDuration } from '#lib/ago.ts';
import { resumeCommand } from '#runs/errors/resume-command.ts';
import { CopyCommand } from '../../components/copy-command.tsx';
import { Fact, Facts } from '../../components/facts.tsx';
import { FilterSelect } from '../../components/filter.tsx';
import { Icon } from '../../components/icon.tsx';
import { Panel } from '../../components/panel.tsx';
import { ErrorNote, LoadingLines } from '../../components/states.tsx';
import { TaskLink } from '../../components/task-id.tsx';
import { TimeAgo } from '../../components/time-ago.tsx';
import { useParam } from '../../router.ts';
import { useCanWrite } from '../../state/actions.ts';
import { useShortcuts } from '../../state/shortcuts.ts';
import { useQuery } from '../../state/use-query.ts';
import { canResume, requestResume, stopRun } from './run-actions.ts';
import { isRunChange } from './run-changes.ts';
import { RunComparison } from './run-comparison.tsx';
import { buildLanes, formatStep, type Step } from './run-lanes.ts';
import { RunOutputs } from './run-outputs.tsx';
import { RunReviews } from './run-reviews.tsx';
import { RunScores } from './run-scores.tsx';
import { RunState } from './run-state.tsx';
import { RunTimeline } from './run-timeline.tsx';
import type { Run } from './runs-view.tsx';

const maxSteps = 10_000;

/** Runs are files, not entries of the log, so a page that shows one reads it again: often while it is active, rarely otherwise, because a
 *  run that ended changes only if it is resumed. */
const getRefreshMs = (status: string | undefined): number => (status === 'running' ? 1000 : status === 'success' ? 30_000 : 5000);

/** One run: its timeline, steps, outputs, scores and reviews, and the comparison with another run. */
export function RunView({ id }: { id: string }) {
  const [refreshMs, setRefreshMs] = useState(getRefreshMs(undefined));
  const { data, failure, reload } = useQuery('trace.show', { run: id, limit: maxSteps }, { isAffected: isRunChange, refreshMs });
  const trace = data?.trace;
  const status = trace?.run.status;
  useEffect(() => setRefreshMs(getRefreshMs(status)), [status]);
  useEffect(() => {
    if (trace) document.title = `${trace.run.name} ${trace.run.id}`;
  }, [trace?.run.id]);
  useShortcuts('Run', [{ keys: 'Escape', about: 'Back', run: () => history.back() }]);
  if (failure && !trace) return <ErrorNote isView failure={failure} onRetry={reload} />;
  if (!trace) return <LoadingLines count={8} />;
  return (
    <div class="view-scroll">
      <div class="view run">
        <RunHead run={trace.run} onResuming={() => setRefreshMs(getRefreshMs('running'))} />
        <RunBody run={trace.run} steps={trace.steps} refreshMs={refreshMs} />
      </div>
    </div>
  );
}

function RunHead({ run, onResuming }: { run: Run; onResuming: () => void }) {
  const [compared, setCompared] = useParam('compare');
  const others = (useQuery('trace.list', { limit: 200 }, { isAffected: isRunChange }).data?.runs ?? []).filter(({ id }) => id !== run.id);
  const choices = others.map(({ id, name, status }): [string, string] => [id, `${name} ${id} (${status})`]);
  return (
    <header class="run-head">
      <nav class="run-path" aria-label="Path">
        <a href="/runs">Runs</a>
      </nav>
      <h1 class="text">{run.name}</h1>
      <div class="run-actions">
        <RunState status={run.status} />
        <span class="text muted">{run.id}</span>
        <span class="spacer" />
        {run.status === 'running' && <StopButton run={run} />}
        {canResume(run) && <ResumeButton run={run} onResuming={onResuming} />}
        {choices.length > 0 && (
          <FilterSelect
            label="Compare with"
            value={compared}
            onChange={setCompared}
            choices={[['', 'no run'], ...choices]}
            hasAll={false}
          />
        )}
      </div>
      {run.status === 'running' && <p class="run-note">This run is live.</p>}
      {canResume(run) && (
        <p class="run-note">
          What succeeded is not run again: <CopyCommand command={resumeCommand(run.id, run.kind, run.name)} />
        </p>
      )}
    </header>
  );
}

function StopButton({ run }: { run: Run }) {
  const canWrite = useCanWrite();
  const ended = useRef(new AbortController());
  useEffect(() => () => ended.current.abort(), []);
  return (
    <button type="button" class="button danger" disabled={!canWrite} onClick={() => void stopRun(run, ended.current.signal)}>
      <Icon name="stop" size={14} /> Stop
    </button>
  );
}

function ResumeButton({ run, onResuming }: { run: Run; onResuming: () => void }) {
  const canWrite = useCanWrite();
  const [isWaiting, setWaiting] = useState(false);
  const started = useRef(new AbortController());
  // The button is gone as soon as the run is active again.
  useEffect(() => () => started.current.abort(), []);
  const resume = async (): Promise<void> => {
    setWaiting(true);
    onResuming();
    await requestResume(run, started.current.signal);
    setWaiting(false);
  };
  return (
    <button type="button" class="button primary" disabled={!canWrite || isWaiting} onClick={() => void resume()}>
      <Icon name="play" size={14} /> Resume
    </button>
  );
}

function RunBody({ run, steps, refreshMs }: { run: Run; steps: Step[]; refreshMs: number }) {
  const [compared] = useParam('compare');
  const elapsedMs = run.status === 'running' ? Date.now() - Date.parse(run.startedAt) : 0;
  const { lanes, endMs } = useMemo(() => buildLanes(steps, elapsedMs), [steps, elapsedMs]);
  return (
    <>
      <div class="run-main">
        {compared && <RunComparison baseline={compared} candidate={run.id} />}
        <Panel title="Timeline">
          {lanes.length === 0 ? <p class="panel-none">No skill has begun.</p> : <RunTimeline lanes={lanes} endMs={endMs} />}
        </Panel>
        <RunReviews run={run.id} />
        <RunOutputs run={run.id} lanes={lanes} refreshMs={refreshMs} />
        <RunScores run={run.id} refreshMs={refreshMs} />
        <StepList steps={steps} />
      </div>
      <aside class="run-side" aria-label="Properties">
        <Panel title="Properties">
          <Facts>
            <Fact name="Kind">{run.kind}</Fact>
            <Fact name="Started">
              <TimeAgo time={run.startedAt} />
            </Fact>
            {run.durationMs !== null && <Fact name="Took">{formatDuration(run.durationMs)}</Fact>}
            {run.exitCode !== null && <Fact name="Exit code">{run.exitCode}</Fact>}
            <Fact name="Executions">
              {run.executions}
              {run.failed > 0 && `, ${run.failed} failed`}
            </Fact>
            {run.agent && <Fact name="Agent">{run.agent}</Fact>}
            {run.taskId && (
              <Fact name="Task">
                <TaskLink id={run.taskId} />
              </Fact>
            )}
            {run.trace && <Fact name="Trace">{run.trace}</Fact>}
          </Facts>
        </Panel>
      </aside>
    </>
  );
}

const pageSize = 200;

/** Every step in words, with the reasons of what failed. */
function StepList({ steps }: { steps: Step[] }) {
  const [limit, setLimit] = useState(pageSize);
  return (
    <Panel title="Steps" count={steps.length}>
      <ol class="run-steps">
        {steps.slice(0, limit).map((step) => (
          <li key={step.seq} class={isFailed(step) ? 'failed' : ''}>
            <span class="step-time">{formatDuration(step.atMs)}</span>
            <span class="text">
              {step.phase && (
                <span class="muted">
                  {step.phase}
                  {step.skill && ` / ${step.skill}`}
                  {': '}
                </span>
              )}
              {formatStep(step)}
              {step.notes?.map((note, i) => (
                <span key={i} class="step-note">
                  {note}
                </span>
              ))}
            </span>
          </li>
        ))}
      </ol>
      {steps.length > limit && (
        <p class="panel-none">
          <button type="button" class="button small" onClick={() => setLimit(limit + 4 * pageSize)}>
            Show more
          </button>
        </p>
      )}
    </Panel>
  );
}

const isFailed = ({ status = '', exitCode = 0 }: Step): boolean =>
  exitCode !== 0 || /^(fail|failed|failure|rejected|error|timeout)$/.test(status);
