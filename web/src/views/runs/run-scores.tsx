import { useMemo } from 'preact/hooks';
import { Panel } from '../../components/panel.tsx';
import { useQuery } from '../../state/use-query.ts';
import { collectResults, type ExecutionResult } from './run-results.ts';

const maxLines = 5000;

/** Scores and artifacts of the executions, as the trace stores them. */
export function RunScores({ run, refreshMs }: { run: string; refreshMs: number }) {
  const { data } = useQuery('trace.tail', { run, limit: maxLines }, { refreshMs });
  const results = useMemo(() => collectResults(data?.lines ?? []), [data]);
  const scored = results.filter(({ score }) => score !== undefined);
  const artifacts = results.flatMap((result) => result.artifacts.map((artifact) => ({ ...artifact, result })));
  return (
    <>
      {scored.length > 0 && (
        <Panel title="Scores" count={scored.length}>
          <ul class="rows">
            {scored.map((result) => (
              <ScoreRow key={result.key} result={result} />
            ))}
          </ul>
        </Panel>
      )}
      {artifacts.length > 0 && (
        <Panel title="Artifacts" count={artifacts.length}>
          <ul class="rows">
            {artifacts.map(({ path, checksum, result }) => (
              <li key={result.key + path} class="row">
                <span class="text">{path}</span>
                <span class="row-end muted">
                  <span class="line">{result.skill}</span>
                  <code title={checksum}>{checksum.replace(/^sha256:/, '').slice(0, 12)}</code>
                </span>
              </li>
            ))}
          </ul>
        </Panel>
      )}
    </>
  );
}

const ScoreRow = ({ result: { phase, skill, score } }: { result: ExecutionResult }) =>
  score === undefined ? null : (
    <li class="row">
      <strong>{score.grade}</strong>
      <span class="line">
        <span class="muted">{phase}</span> {skill}
      </span>
      <span class="row-end muted">
        <span class="line">{score.dimensions.map(([name, value]) => `${name} ${value}`).join(', ')}</span>
        <span>
          {Math.round(score.percent)} %, {score.evaluator}
        </span>
      </span>
    </li>
  );
