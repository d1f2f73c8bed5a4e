import { useEffect, useRef, useState } from 'preact/hooks';
import { Panel } from '../../components/panel.tsx';
import { ErrorNote, LoadingLines } from '../../components/states.tsx';
import { useQuery } from '../../state/use-query.ts';
import type { Lane } from './run-lanes.ts';
import { RunState } from './run-state.tsx';

/** The output of each skill, redacted by the runner. That of the active one, or else of the last one, is open. */
export function RunOutputs({ run, lanes, refreshMs }: { run: string; lanes: Lane[]; refreshMs: number }) {
  const started = lanes.filter(({ bars }) => bars.length > 0);
  const current = started.findLast(({ status }) => status === undefined) ?? started.at(-1);
  if (started.length === 0) return null;
  return (
    <Panel title="Output" count={started.length}>
      {started.map((lane) => (
        <LaneOutput key={lane.key} run={run} lane={lane} isCurrent={lane === current} refreshMs={refreshMs} />
      ))}
    </Panel>
  );
}

function LaneOutput({ run, lane, isCurrent, refreshMs }: { run: string; lane: Lane; isCurrent: boolean; refreshMs: number }) {
  // A person who opened or closed it decides; otherwise it follows the run.
  const [chosen, setChosen] = useState<boolean | undefined>();
  const isOpen = chosen ?? isCurrent;
  const { phase, skill, status, bars } = lane;
  return (
    <details class="run-output" open={isOpen}>
      <summary
        onClick={(event) => {
          event.preventDefault();
          setChosen(!isOpen);
        }}
      >
        <span class="text">
          <span class="muted">{phase}</span> {skill}
        </span>{' '}
        <RunState status={status ?? bars.at(-1)?.status ?? ''} />
      </summary>
      {isOpen && <OutputText run={run} phase={phase} skill={skill} refreshMs={refreshMs} />}
    </details>
  );
}

const streamText = { stdout: 'Output', stderr: 'Error output' };

function OutputText({ run, phase, skill, refreshMs }: { run: string; phase: string; skill: string; refreshMs: number }) {
  const { data, failure } = useQuery('trace.output', { run, phase, skill, limit: 1000 }, { refreshMs });
  if (failure && !data) return <ErrorNote failure={failure} />;
  if (!data) return <LoadingLines count={2} />;
  if (data.outputs.length === 0) return <p class="muted run-output-none">It printed nothing, or the construct stores no output.</p>;
  return (
    <>
      {data.outputs.map(({ attempt, stream, text, bytes, isCut }) => (
        <figure key={`${attempt} ${stream}`}>
          <figcaption class="muted">
            {streamText[stream]} of attempt {attempt}
            {isCut && `, the end of ${bytes.toLocaleString()} bytes`}
          </figcaption>
          <FollowedText text={text} label={`${streamText[stream]} of ${skill}, attempt ${attempt}`} />
        </figure>
      ))}
    </>
  );
}

/** A text that grows. It stays at its end unless a person scrolled up. */
function FollowedText({ text, label }: { text: string; label: string }) {
  const element = useRef<HTMLPreElement>(null);
  const isAtEnd = useRef(true);
  useEffect(() => {
    if (isAtEnd.current && element.current) element.current.scrollTop = element.current.scrollHeight;
  }, [text]);
  return (
    <pre
      ref={element}
      class="text"
      role="region"
      aria-label={label}
      tabIndex={0}
      onScroll={({ currentTarget: { scrollTop, clientHeight, scrollHeight } }) => {
        isAtEnd.current = scrollTop + clientHeight >= scrollHeight - 4;
      }}
    >
      {text}
    </pre>
  );
}
