import { useState } from 'preact/hooks';
import type { Result } from '../../api/operations.generated.ts';
import { ask } from '../../components/ask-dialog.tsx';
import { CopyCommand } from '../../components/copy-command.tsx';
import { Icon } from '../../components/icon.tsx';
import { Panel } from '../../components/panel.tsx';
import { TimeAgo } from '../../components/time-ago.tsx';
import { runAction } from '../../state/actions.ts';
import { createIdCheck, useQuery } from '../../state/use-query.ts';
import type { FullTask } from './task-view.tsx';

type Verification = Result<'verify.status'>['verification'];
type Evidence = NonNullable<Verification['gates'][number]['evidence']>[number];

/** The evidence gates of a task that is active or has any, what each was passed with, a form for the next one, and the verdict of a
 *  validator. */
export function GateList({ task, canWrite }: { task: FullTask; canWrite: boolean }) {
  const { data } = useQuery('verify.status', { taskId: task.id }, { isAffected: createIdCheck(task.id) });
  const verification = data?.verification;
  const isBound = task.acceptance?.some(({ kind }) => kind === 'evidence_bound');
  const hasAttempts = verification?.gates.some(({ isHeld }) => isHeld) || verification?.failures || verification?.claimed;
  const isWorked = canWrite && task.status === 'active';
  if (!verification || (!isBound && !hasAttempts && !isWorked)) return null;
  const { gates, failures = [], claimed = [], round, failedRounds, maxRounds, next, verdict } = verification;
  const isExhausted = failedRounds >= maxRounds;
  return (
    <Panel title="Evidence" actions={<span class="muted">{`round ${round}, ${failedRounds} of ${maxRounds} failed`}</span>}>
      <ul class="rows">
        {gates.map(({ gate, isHeld, by, at, evidence = [], stale }) => (
          <li key={gate} class="row">
            <Icon name={isHeld ? 'check' : 'clock'} size={14} />
            <code>{gate}</code>
            <span class="line">{isHeld ? evidence.map(formatEvidence).join('; ') : 'not passed'}</span>
            {stale && <span class="label">stale: {stale.join(', ')}</span>}
            <span class="row-end muted">
              {by} {at && <TimeAgo time={at} />}
            </span>
          </li>
        ))}
        {verdict && (
          <li class="row">
            <Icon name="person" size={14} />
            <span class="text">{`${verdict.verdict} by ${verdict.by}${verdict.reason ? `: ${verdict.reason}` : ''}`}</span>
          </li>
        )}
        {failures.map(({ gate, round: n, by, at, evidence }) => (
          <li key={`${gate} ${at}`} class="row warning-row error">
            <Icon name="warning" size={14} />
            <span class="text">
              {gate}, round {n}: {evidence.map(formatEvidence).join('; ')}
            </span>
            <span class="row-end">
              {by} <TimeAgo time={at} />
            </span>
          </li>
        ))}
        {claimed.map(({ gate, text, problem, by, at }) => (
          <li key={`${gate} ${at} ${text}`} class="row">
            <Icon name="clock" size={14} />
            <span class="text">
              {gate}: {text} ({problem})
            </span>
            <span class="row-end muted">
              {by} <TimeAgo time={at} />
            </span>
          </li>
        ))}
      </ul>
      {isExhausted && task.status !== 'done' && (
        <p class="panel-none">
          It takes no more evidence: a person has to look at the work. Allow more rounds with{' '}
          <CopyCommand command={`cleo config set verification.maxRounds ${failedRounds + 5}`} />
        </p>
      )}
      {canWrite && next && !isExhausted && task.status !== 'done' && (
        <EvidenceForm taskId={task.id} gate={next} accepts={verification.accepts} />
      )}
      {canWrite && next === 'qaPassed' && !isExhausted && task.status !== 'done' && <VerdictForm taskId={task.id} />}
    </Panel>
  );
}

/** The verdict of a validator, which must be another agent than the one that did the work. */
function VerdictForm({ taskId }: { taskId: string }) {
  const reject = async (): Promise<void> => {
    const reason = await ask({ title: `Reject the work on ${taskId}`, label: 'Reason', hint: 'The next round begins.', confirm: 'Reject' });
    if (reason !== undefined) await runAction('validator.reject', { taskId, reason }, `Rejected the work on ${taskId}`);
  };
  return (
    <p class="verdict-buttons">
      <span class="muted">As the validator:</span>
      <button
        type="button"
        class="button small"
        onClick={() => void runAction('validator.attest', { taskId }, `Attested the work on ${taskId}`)}
      >
        Attest
      </button>
      <button type="button" class="button small" onClick={() => void reject()}>
        Reject…
      </button>
    </p>
  );
}

function EvidenceForm({ taskId, gate, accepts }: { taskId: string; gate: string; accepts: string[] }) {
  const [evidence, setEvidence] = useState('');
  const [isRunning, setRunning] = useState(false);
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    setRunning(true);
    if (await runAction('verify.gate', { taskId, gate, evidence: evidence.trim() }, `${taskId} passed ${gate}`)) setEvidence('');
    setRunning(false);
  };
  return (
    <form class="add-line" onSubmit={submit}>
      <label class="visually-hidden" for="evidence-text">
        Evidence for {gate}
      </label>
      <input
        id="evidence-text"
        class="field mono"
        placeholder={`${gate}: ${accepts.join(', ') || 'commit:<sha>'}`}
        value={evidence}
        onInput={(event) => setEvidence(event.currentTarget.value)}
      />
      <button type="submit" class="button small" disabled={evidence.trim() === '' || isRunning}>
        {isRunning ? 'Checking…' : 'Submit'}
      </button>
    </form>
  );
}

function formatEvidence(evidence: Evidence): string {
  switch (evidence.kind) {
    case 'commit':
      return `commit ${evidence.commit.slice(0, 10)}`;
    case 'files':
      return evidence.files.map(({ path }) => path).join(', ');
    case 'tool':
      return `${evidence.name} exited with ${evidence.exitCode}`;
    case 'test-run':
      return `${evidence.passed} tests passed${evidence.skipped ? `, ${evidence.skipped} skipped` : ''}`;
    case 'run':
      return `run ${evidence.run}`;
    case 'url':
      return evidence.url;
    case 'note':
      return evidence.text;
    case 'verdict':
      return evidence.verdict;
    case 'failed':
    case 'claimed':
      return `${evidence.text}: ${evidence.problem}`;
    default:
      return evidence.kind;
  }
}
