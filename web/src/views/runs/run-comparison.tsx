import { formatDuration } from '#lib/ago.ts';
import type { Result } from '../../api/operations.generated.ts';
import { Panel } from '../../components/panel.tsx';
import { ErrorNote, LoadingLines } from '../../components/states.tsx';
import { useQuery } from '../../state/use-query.ts';
import { RunState } from './run-state.tsx';

type Trace = Result<'trace.show'>['trace'];

/** Two runs next to each other: status and time of each skill, and the verdict of `assess compare`. */
export function RunComparison({ baseline, candidate }: { baseline: string; candidate: string }) {
  const before = useQuery('trace.show', { run: baseline, limit: 10_000 });
  const after = useQuery('trace.show', { run: candidate, limit: 10_000 });
  const { data } = useQuery('assess.compare', { baseline, candidate });
  const failure = before.failure ?? after.failure;
  const verdicts = new Map(data?.comparison.skills.map((each) => [each.skill, each]));
  if (failure) return <ErrorNote failure={failure} />;
  if (!before.data || !after.data) return <LoadingLines count={3} />;
  const rows = pairExecutions(before.data.trace, after.data.trace);
  return (
    <Panel title="Comparison">
      <div class="run-comparison" role="region" aria-label="Comparison of two runs" tabIndex={0}>
        <table>
          <thead>
            <tr>
              <th scope="col">Skill</th>
              <th scope="col" class="text">
                <a href={`/runs/${encodeURIComponent(baseline)}`}>{before.data.trace.run.id}</a>
              </th>
              <th scope="col" class="text">
                {after.data.trace.run.id}
              </th>
              <th scope="col">Change</th>
            </tr>
          </thead>
          <tbody>
            {rows.map(({ key, skill, phase, first, second }) => (
              <tr key={key}>
                <th scope="row" class="text">
                  <span class="muted">{phase}</span> {skill}
                </th>
                <Cell outcome={first} />
                <Cell outcome={second} />
                <td>
                  {formatChange(first, second)}
                  {verdicts.get(skill)?.score && <span class="muted"> {formatPoints(verdicts.get(skill)!.score!.difference)}</span>}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {data && <p class="panel-none">Verdict: {verdictText[data.comparison.verdict]}</p>}
    </Panel>
  );
}

const verdictText = {
  improved: 'improved.',
  regressed: 'regressed.',
  inconclusive: 'the difference may be chance.',
  insufficient: 'two runs are too few to tell a difference from chance.',
};

interface Outcome {
  status: string;
  durationMs: number;
}

const Cell = ({ outcome }: { outcome: Outcome | undefined }) => (
  <td>
    {outcome ? (
      <>
        <RunState status={outcome.status} /> <span class="muted">{formatDuration(outcome.durationMs)}</span>
      </>
    ) : (
      <span class="muted">did not run</span>
    )}
  </td>
);

function formatChange(first: Outcome | undefined, second: Outcome | undefined): string {
  if (!first || !second) return '';
  const ms = second.durationMs - first.durationMs;
  const time = ms === 0 ? 'same time' : `${formatDuration(Math.abs(ms))} ${ms > 0 ? 'slower' : 'faster'}`;
  return first.status === second.status ? time : `${first.status} → ${second.status}, ${time}`;
}

const formatPoints = (difference: number): string => `score ${difference >= 0 ? '+' : '−'}${Math.abs(difference).toFixed(1)}`;

/** Pairs the executions of two runs by phase and skill; the last one counts. */
function pairExecutions(before: Trace, after: Trace) {
  const rows = new Map<string, { key: string; phase: string; skill: string; first?: Outcome; second?: Outcome }>();
  for (const [side, { steps }] of [['first', before] as const, ['second', after] as const])
    for (const { event, phase = '', skill = '', status = '', durationMs = 0 } of steps) {
      if (event !== 'execution_complete') continue;
      const key = `${phase}/${skill}`;
      rows.set(key, { ...(rows.get(key) ?? { key, phase, skill }), [side]: { status, durationMs } });
    }
  return [...rows.values()];
}
