import './grades.css';
import { Icon } from '../../components/icon.tsx';
import { Panel } from '../../components/panel.tsx';
import { SessionLink } from '../../components/session-status.tsx';
import { EmptyState, ErrorNote, LoadingLines } from '../../components/states.tsx';
import { TaskLink } from '../../components/task-id.tsx';
import { TimeAgo } from '../../components/time-ago.tsx';
import { useListKeys } from '../../components/use-list-keys.ts';
import { useCanWrite } from '../../state/actions.ts';
import { downloadText } from '../../state/download.ts';
import { useShortcuts } from '../../state/shortcuts.ts';
import { useQuery } from '../../state/use-query.ts';
import { type DimensionName, dimensionAbouts, dimensionLabels, dimensionNames, type Grade, getLevel, ScoreBadge } from './dimensions.tsx';
import { storeGrade } from './grade-actions.ts';
import { LossList } from './loss-list.tsx';
import { TrendChart } from './trend-chart.tsx';

/** The grade of one session as its log gives it now, with the reason for each lost point. Reading it stores nothing. */
export function GradeView({ session }: { session: string }) {
  const { data, failure, reload } = useQuery(
    'admin.grade',
    { sessionId: session, explain: true, preview: true },
    { isAffected: (change) => change.session === session, followsCalls: true },
  );
  const history = useQuery('admin.grade.list', { limit: 0 }, { isAffected: () => false, refreshMs: 10_000 });
  const canWrite = useCanWrite();
  const unknown = new Set<DimensionName>(data?.unknown ?? []);
  const store = async (): Promise<void> => {
    if (await storeGrade(session, { partial: unknown.size > 0 })) history.reload();
  };
  const exportGrade = (): void => {
    if (!data) return;
    const { grade, explanation, unknown: missing } = data;
    const text = JSON.stringify({ grade, explanation, ...(missing ? { unknown: missing } : {}) }, undefined, 2);
    downloadText(`grade-${session}.json`, 'application/json', `${text}\n`);
  };
  useListKeys('.grade');
  useShortcuts('Grade', [
    { keys: 's', about: 'Store the grade', run: () => canWrite && void store() },
    { keys: 'e', about: 'Export the grade', run: exportGrade },
  ]);
  if (failure && !data) return <ErrorNote isView failure={failure} onRetry={reload} />;
  if (!data) return <LoadingLines count={8} />;
  const stored = (history.data?.grades ?? []).filter(({ sessionId }) => sessionId === session);
  // The log of a session that was imported is in another store; its stored grade is all there is.
  const grade = data.grade.entryCount === 0 && stored[0] ? stored[0] : data.grade;
  return (
    <div class="view-scroll">
      <header class="view-head">
        <a href="/grades" class="button quiet icon-only" aria-label="All grades" title="All grades">
          <Icon name="undo" />
        </a>
        <h1>Grade</h1>
        <SessionLink id={session} />
        <span class="spacer" />
        <button type="button" class="button" onClick={exportGrade} disabled={grade.entryCount === 0}>
          <Icon name="download" size={14} /> Export
        </button>
        <button type="button" class="button primary" disabled={!canWrite || data.grade.entryCount === 0} onClick={() => void store()}>
          {unknown.size > 0 ? 'Store a partial grade' : 'Grade'}
        </button>
      </header>
      {grade.entryCount === 0 ? (
        <EmptyState title="The log has no entries of this session" commands={['cleo session start --scope global --grade']}>
          A grade needs the calls of the session. Start one in grade mode:
        </EmptyState>
      ) : (
        <div class="view grade">
          {unknown.size > 0 && (
            <p class="grade-note" role="note">
              <Icon name="warning" /> This session was not started in grade mode, so its reads are not recorded.{' '}
              {[...unknown].map((name) => dimensionLabels[name]).join(', ')} may be better than shown.
            </p>
          )}
          <div class="grade-columns">
            <div class="grades-column">
              <Panel title="Score">
                <div class="grade-score">
                  <ScoreBadge letter={grade.letter} percent={grade.percent} />
                  <span>
                    {grade.totalScore} of {grade.maxScore} points from {grade.entryCount} {grade.entryCount === 1 ? 'entry' : 'entries'}
                  </span>
                  {grade.taskId && <TaskLink id={grade.taskId} />}
                </div>
                <DimensionBars grade={grade} unknown={unknown} />
              </Panel>
              <Panel title="Stored grades" count={stored.length}>
                {stored.length === 0 && <p class="panel-none">This grade is not stored.</p>}
                {stored.length > 1 && (
                  <div class="grade-history">
                    <TrendChart name={session} scores={stored.map(({ percent }) => percent).reverse()} width={240} height={44} />
                  </div>
                )}
                <ul class="rows">
                  {stored.slice(0, 8).map(({ timestamp, letter, percent, entryCount }) => (
                    <li key={timestamp} class="row">
                      <ScoreBadge letter={letter} percent={percent} />
                      <span class="row-end muted">
                        {entryCount} entries · <TimeAgo time={timestamp} />
                      </span>
                    </li>
                  ))}
                </ul>
              </Panel>
            </div>
            <LossList losses={data.explanation ?? []} unknown={unknown} />
          </div>
        </div>
      )}
    </div>
  );
}

/** The points of each dimension as a bar, with the evidence for them. */
const DimensionBars = ({ grade, unknown }: { grade: Grade; unknown: ReadonlySet<DimensionName> }) => (
  <ul class="dimensions">
    {dimensionNames.map((name) => {
      const { score, max, evidence } = grade.dimensions[name];
      return (
        <li key={name}>
          <p class="dimension-head">
            <strong>{dimensionLabels[name]}</strong>
            {unknown.has(name) && <span class="muted">not recorded</span>}
            <span class="figures">
              {score}/{max}
            </span>
          </p>
          <span class={`dimension-bar ${getLevel(score / max)}`} aria-hidden="true">
            <span style={{ width: `${(100 * score) / max}%` }} />
          </span>
          <p class="muted text">{evidence.length > 0 ? evidence.join(' · ') : `Earned by an agent that ${dimensionAbouts[name]}.`}</p>
        </li>
      );
    })}
  </ul>
);
