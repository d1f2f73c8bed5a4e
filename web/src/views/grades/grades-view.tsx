import './grades.css';
import { Avatar } from '../../components/agent-chip.tsx';
import { FilterText } from '../../components/filter.tsx';
import { Icon } from '../../components/icon.tsx';
import { Menu } from '../../components/menu.tsx';
import { Panel } from '../../components/panel.tsx';
import { EmptyState, ErrorNote, LoadingLines } from '../../components/states.tsx';
import { TimeAgo } from '../../components/time-ago.tsx';
import { useListKeys } from '../../components/use-list-keys.ts';
import { setParams, useParam } from '../../router.ts';
import { useShortcuts } from '../../state/shortcuts.ts';
import { useQuery } from '../../state/use-query.ts';
import { DimensionColumns, ScoreBadge } from './dimensions.tsx';
import { exportCsv, exportJson, type GradeRow } from './grade-actions.ts';
import { TrendList } from './trend-list.tsx';
import { UngradedList } from './ungraded-list.tsx';

/** Stored grades are lines of a file, so no event reports a new one. */
const refreshMs = 10_000;
const maxSessions = 200;

/** The score of each session, the trend of agents and scopes, and the sessions that wait for a grade. */
export function GradesView() {
  const { data, failure, reload } = useQuery('admin.grade.list', { trend: true, limit: 0 }, { isAffected: () => false, refreshMs });
  const sessions = useQuery('session.list', { limit: maxSessions }).data?.sessions ?? [];
  const [agent] = useParam('agent');
  const [scope] = useParam('scope');
  const [text] = useParam('text');
  useListKeys('.grades');
  useShortcuts('Grades', [{ keys: 'f', about: 'Filter by text', run: () => document.getElementById('grade-text')?.focus() }]);
  if (failure && !data) return <ErrorNote isView failure={failure} onRetry={reload} />;
  if (!data) return <LoadingLines count={8} />;
  const newest = listNewest(data.grades);
  const names = new Map(sessions.map(({ id, name }) => [id, name]));
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const shown = newest.filter((grade) => {
    const searched = [grade.sessionId, names.get(grade.sessionId), grade.agent, grade.scope, grade.letter].join(' ').toLowerCase();
    return (!agent || grade.agent === agent) && (!scope || grade.scope === scope) && words.every((word) => searched.includes(word));
  });
  const graded = new Set(newest.map(({ sessionId }) => sessionId));
  const ungraded = sessions.filter(({ id }) => !graded.has(id));
  const isFiltered = agent !== '' || scope !== '' || text !== '';
  return (
    <div class="view-scroll">
      <header class="view-head">
        <h1>Grades</h1>
        <FilterText id="grade-text" />
        {(agent || scope) && (
          <button type="button" class="button" onClick={() => setParams({ agent: '', scope: '' })}>
            <span class="line">{[agent, scope].filter(Boolean).join(', ')}</span> <Icon name="close" size={12} />
            <span class="visually-hidden">: remove the filter</span>
          </button>
        )}
        <span class="spacer" />
        <Menu
          label="Export the grades"
          hasText
          disabled={shown.length === 0}
          items={[
            { label: 'CSV', run: () => exportCsv(shown) },
            { label: 'JSON', run: () => exportJson(shown) },
          ]}
        >
          <Icon name="download" size={14} /> Export
        </Menu>
      </header>
      {newest.length === 0 && ungraded.length === 0 ? (
        <EmptyState title="No grades yet" commands={['cleo session start --scope global --grade', 'cleo grade SESSION']}>
          A session that is started in grade mode records its reads, and is graded by the rubric:
        </EmptyState>
      ) : (
        <div class="view grades">
          <div class="grades-column">
            <Panel title="Sessions" count={shown.length}>
              {shown.length === 0 && (
                <p class="panel-none">
                  {isFiltered ? 'No grade matches. ' : 'No session is graded yet.'}
                  {isFiltered && (
                    <button type="button" class="button small" onClick={() => setParams({ agent: '', scope: '', text: '' })}>
                      Show all grades
                    </button>
                  )}
                </p>
              )}
              <ul class="rows">
                {shown.map((grade) => (
                  <GradeLine key={grade.sessionId} grade={grade} name={names.get(grade.sessionId)} />
                ))}
              </ul>
            </Panel>
          </div>
          <div class="grades-column">
            {newest.length > 0 && <TrendList trend={data.trend} scopeTrend={data.scopeTrend} />}
            <UngradedList sessions={ungraded} onGrade={reload} />
          </div>
        </div>
      )}
    </div>
  );
}

/** The newest grade of each session; the list has the newest first. */
function listNewest(grades: GradeRow[]): GradeRow[] {
  const seen = new Set<string>();
  return grades.filter(({ sessionId }) => !seen.has(sessionId) && seen.add(sessionId));
}

const GradeLine = ({ grade, name }: { grade: GradeRow; name: string | undefined }) => (
  <li class="row grade-row" data-nav data-session={grade.sessionId}>
    <ScoreBadge letter={grade.letter} percent={grade.percent} />
    <DimensionColumns dimensions={grade.dimensions} />
    <a
      class={`line grade-name ${name === undefined ? 'mono' : ''}`}
      href={`/grades/${encodeURIComponent(grade.sessionId)}`}
      title={grade.sessionId}
    >
      {name ?? grade.sessionId}
    </a>
    <span class="row-end muted">
      {grade.flagCount > 0 && (
        <span class="grade-flags">
          <Icon name="warning" size={12} /> {grade.flagCount} {grade.flagCount === 1 ? 'flag' : 'flags'}
        </span>
      )}
      {grade.scope && <span class="line">{grade.scope}</span>}
      {grade.agent && (
        <span class="agent-chip" title={grade.agent}>
          <Avatar name={grade.agent} />
          <span class="line">{grade.agent}</span>
        </span>
      )}
      <TimeAgo time={grade.timestamp} />
    </span>
  </li>
);
