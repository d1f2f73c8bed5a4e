import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { Result } from '../../api/operations.generated.ts';
import { Panel } from '../../components/panel.tsx';
import { SessionLink } from '../../components/session-status.tsx';
import { TaskLink } from '../../components/task-id.tsx';
import { TimeAgo } from '../../components/time-ago.tsx';
import { setParams, useParam } from '../../router.ts';
import { useNow } from '../../state/clock.ts';
import { type Mark, MarkIcon, markNames } from './mark-icon.tsx';
import { createTimeWindow, listTicks, type TimeWindow, toPosition } from './time-scale.ts';
import { groupLaneMarks, TimelineLane } from './timeline-lane.tsx';

const hourMs = 3_600_000;
/** The ranges that can be chosen, by their name in the address. */
const ranges = { '1h': hourMs, '24h': 24 * hourMs, '7d': 7 * 24 * hourMs, all: undefined };
const rangeLabels = { '1h': '1 hour', '24h': '1 day', '7d': '1 week', all: 'All' };
const minTickPx = 90;
/** Percent of the width up to which the label of a tick is centred. */
const maxCentredPosition = 92;

const isRange = (text: string): text is keyof typeof ranges => text in ranges;

/** Lanes of agents over the time. A mark that is chosen is explained below them; its number is in the address. */
export function Timeline({
  data,
  lanes,
  initialRange,
}: {
  data: Result<'session.timeline'>;
  lanes: Result<'session.timeline'>['lanes'];
  initialRange: keyof typeof ranges;
}) {
  const [range, setRange] = useParam('range', initialRange);
  const [event, setEvent] = useParam('event');
  const now = useNow();
  const track = useRef<HTMLDivElement>(null);
  const width = useWidth(track);
  const chosen = isRange(range) ? range : initialRange;
  const nowMs = Math.max(Date.parse(now), Date.parse(data.to));
  const window = createTimeWindow(Date.parse(data.from), nowMs, ranges[chosen]);
  const selected = event === '' ? undefined : Number(event);
  const shown = lanes.filter(({ focus, marks }) => isInWindow(window, focus, marks));
  const marks = shown.flatMap((lane) => findGroup(lane.marks, window, width, selected).map((mark) => ({ ...mark, agent: lane.agent })));
  return (
    <Panel
      title="Timeline"
      actions={
        <span class="segments" role="group" aria-label="Range">
          {Object.keys(ranges)
            .filter(isRange)
            .map((each) => (
              <button key={each} type="button" aria-pressed={each === chosen} onClick={() => setRange(each)}>
                {rangeLabels[each]}
              </button>
            ))}
        </span>
      }
    >
      <div class="timeline">
        <TimeAxis window={window} width={width} trackRef={track} />
        {shown.length === 0 ? (
          <p class="panel-none">
            Nothing happened in this time.{' '}
            {lanes.length > 0 && (
              <button type="button" class="button small" onClick={() => setParams({ range: initialRange === 'all' ? '' : 'all' })}>
                Show all
              </button>
            )}
          </p>
        ) : (
          <ol class="lanes">
            {shown.map((lane) => (
              <TimelineLane
                key={lane.agent}
                lane={lane}
                sessions={data.sessions.filter(({ agent }) => agent === lane.agent)}
                window={window}
                width={width}
                selected={selected}
                onSelect={(group) => setEvent(group.some(({ seq }) => seq === selected) ? '' : String(group[0]!.seq))}
              />
            ))}
          </ol>
        )}
      </div>
      {marks.length > 0 && <EventList marks={marks} />}
      <p class="timeline-legend muted">
        <span>
          <MarkIcon kind="done" /> completion
        </span>
        <span>
          <MarkIcon kind="error" /> error
        </span>
        <span>
          <MarkIcon kind="handoff" /> handoff
        </span>
        <span>
          <i class="legend-focus" /> focus
        </span>
        <span>
          <i class="legend-session" /> session
        </span>
      </p>
    </Panel>
  );
}

function isInWindow({ fromMs }: TimeWindow, focus: { to?: string | undefined }[], marks: Mark[]): boolean {
  return focus.some(({ to }) => to === undefined || Date.parse(to) >= fromMs) || marks.some(({ at }) => Date.parse(at) >= fromMs);
}

/** Finds the marks that are drawn together with the chosen one. */
function findGroup(marks: Mark[], window: TimeWindow, width: number, selected: number | undefined): Mark[] {
  const group = groupLaneMarks(marks, window, width).find((each) => each.marks.some(({ seq }) => seq === selected));
  return group?.marks ?? [];
}

/** The events of a chosen mark, with their log entries. */
const EventList = ({ marks }: { marks: (Mark & { agent: string })[] }) => (
  <ul class="rows timeline-events" aria-label="Chosen events">
    {marks.map(({ seq, kind, at, agent, taskId, session, text }) => (
      <li key={seq} class="row" data-nav>
        <MarkIcon kind={kind} />
        <span class="row-kind">{markNames[kind]}</span>
        <span class="line">{agent}</span>
        {taskId && <TaskLink id={taskId} />}
        {text && <span class="text mono">{text}</span>}
        {kind === 'handoff' && session && <SessionLink id={session} />}
        <span class="row-end muted">
          <TimeAgo time={at} />
          <a class="button small" href={`/log?entry=${seq}`}>
            Log entry {seq}
          </a>
        </span>
      </li>
    ))}
  </ul>
);

function TimeAxis({ window, width, trackRef }: { window: TimeWindow; width: number; trackRef: { current: HTMLDivElement | null } }) {
  const offsetMs = -new Date(window.toMs).getTimezoneOffset() * 60_000;
  const { ticks, isDays } = listTicks(window, Math.max(2, Math.floor(width / minTickPx)), offsetMs);
  const format = isDays
    ? new Intl.DateTimeFormat(undefined, { month: 'short', day: 'numeric' })
    : new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit' });
  return (
    <div class="time-axis" aria-hidden="true">
      <span class="lane-name" />
      <div class="lane-track" ref={trackRef}>
        {ticks.map((tick) => {
          const position = toPosition(window, tick);
          return (
            <span key={tick} class={`tick ${position > maxCentredPosition ? 'tick-end' : ''}`} style={{ left: `${position}%` }}>
              {format.format(tick)}
            </span>
          );
        })}
      </div>
    </div>
  );
}

/** Returns the width of an element, also after the window changed. */
function useWidth(element: { current: HTMLElement | null }): number {
  const [width, setWidth] = useState(800);
  useLayoutEffect(() => {
    const target = element.current;
    if (!target) return;
    const observer = new ResizeObserver(() => setWidth(target.clientWidth));
    observer.observe(target);
    setWidth(target.clientWidth);
    return () => observer.disconnect();
  }, []);
  return width;
}
