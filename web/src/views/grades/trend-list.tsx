import type { Result } from '../../api/operations.generated.ts';
import { Avatar } from '../../components/agent-chip.tsx';
import { Panel } from '../../components/panel.tsx';
import { setParams, useParam } from '../../router.ts';
import { TrendChart } from './trend-chart.tsx';

type Trends = Pick<Result<'admin.grade.list'>, 'trend' | 'scopeTrend'>;

/** The trend of each agent, or of each scope. One that is chosen filters the grades. */
export function TrendList({ trend = [], scopeTrend = [] }: Trends) {
  const [by, setBy] = useParam('by', 'agent');
  const [agent] = useParam('agent');
  const [scope] = useParam('scope');
  const isByScope = by === 'scope';
  const rows = isByScope
    ? scopeTrend.map(({ scope: name, ...rest }) => ({ name, ...rest }))
    : trend.map(({ agent: name, ...rest }) => ({ name, ...rest }));
  const chosen = isByScope ? scope : agent;
  return (
    <Panel
      title="Trend"
      actions={
        <span class="segments" role="group" aria-label="Trend by">
          {(['agent', 'scope'] as const).map((each) => (
            <button key={each} type="button" aria-pressed={(isByScope ? 'scope' : 'agent') === each} onClick={() => setBy(each)}>
              {each}
            </button>
          ))}
        </span>
      }
    >
      {rows.length === 0 && <p class="panel-none">No graded session has a known {isByScope ? 'scope' : 'agent'}.</p>}
      <ul class="rows">
        {rows.map(({ name, scores, last, average, sessions }) => (
          <li key={name} class="row trend-row" data-nav>
            <button
              type="button"
              class="trend-name"
              aria-pressed={name === chosen}
              title={name === chosen ? 'Show all grades' : `Show the grades of ${name}`}
              onClick={() => setParams({ [isByScope ? 'scope' : 'agent']: name === chosen ? '' : name })}
            >
              {!isByScope && <Avatar name={name} />}
              <span class="line">{name}</span>
            </button>
            <TrendChart name={name} scores={scores} width={110} />
            <span class="trend-figures">
              <strong>{last}%</strong>
              <span class="muted">
                average {average}%, {sessions} {sessions === 1 ? 'session' : 'sessions'}
              </span>
            </span>
          </li>
        ))}
      </ul>
    </Panel>
  );
}
