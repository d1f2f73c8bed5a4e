import { Avatar } from '../../components/agent-chip.tsx';
import type { SessionSummary } from '../../components/session-status.tsx';
import { toTaskUrl } from '../../components/task-id.tsx';
import { formatLocalTime } from '../../components/time-ago.tsx';
import { getRecordUrl } from '../../routes.ts';
import { type Lane, type Mark, MarkIcon, markNames } from './mark-icon.tsx';
import { groupMarks, type TimeWindow, toPosition } from './time-scale.ts';

interface LaneProps {
  lane: Lane;
  sessions: SessionSummary[];
  window: TimeWindow;
  /** The width of the track in pixels. */
  width: number;
  selected: number | undefined;
  onSelect: (marks: Mark[]) => void;
}

/** Marks that are nearer to each other than this are drawn as one. */
const minMarkPx = 20;
const minBarPx = 4;
/** A narrower bar has no room for the id of its task. */
const minTextPx = 40;

/** One agent: its sessions as bands, its focus as bars, and below them what happened. */
export function TimelineLane({ lane, sessions, window, width, selected, onSelect }: LaneProps) {
  const pxToPercent = 100 / Math.max(width, 1);
  const isShown = (from: string, to: string | undefined): boolean =>
    Date.parse(from) <= window.toMs && (to === undefined || Date.parse(to) >= window.fromMs);
  const toBox = (from: string, to: string | undefined) => {
    const start = toPosition(window, Date.parse(from));
    const end = to === undefined ? 100 : toPosition(window, Date.parse(to));
    const size = Math.max(end - start, minBarPx * pxToPercent);
    return { start: Math.min(start, 100 - size), size };
  };
  const groups = groupLaneMarks(lane.marks, window, width);
  return (
    <li class="lane" data-nav>
      <span class="lane-name">
        <Avatar name={lane.agent} />
        <span class="line" title={lane.agent}>
          {lane.agent}
        </span>
      </span>
      <div class="lane-track">
        {sessions
          .filter(({ startedAt, endedAt }) => isShown(startedAt, endedAt))
          .map((session) => ({ ...session, box: toBox(session.startedAt, session.endedAt) }))
          .map(({ id, name, status, startedAt, endedAt, box }) => (
            <a
              key={id}
              class={`lane-session ${status}`}
              href={getRecordUrl('session', id)}
              style={{ left: `${box.start}%`, width: `${box.size}%` }}
              title={`Session ${name ?? id}, ${status}, ${formatPeriod(startedAt, endedAt)}`}
            >
              <span class="visually-hidden">
                Session {name ?? id}, {status}
              </span>
            </a>
          ))}
        {lane.focus
          .filter(({ from, to }) => isShown(from, to))
          .map(({ taskId, title, from, to }) => {
            const box = toBox(from, to);
            return (
              <a
                key={from + taskId}
                class={`lane-focus line ${to === undefined ? 'open' : ''}`}
                href={toTaskUrl(taskId)}
                style={{ left: `${box.start}%`, width: `${box.size}%` }}
                title={`${taskId} ${title ?? ''}, ${formatPeriod(from, to)}`}
              >
                <span class={box.size < minTextPx * pxToPercent ? 'visually-hidden' : undefined}>
                  <span class="task-id">{taskId}</span> {title}
                </span>
              </a>
            );
          })}
        {groups.map(({ position, marks }) => (
          <button
            key={marks[0]!.seq}
            type="button"
            class="lane-mark"
            style={{ left: `${position}%` }}
            aria-pressed={marks.some(({ seq }) => seq === selected)}
            title={`${countKinds(marks)}, ${formatLocalTime(marks[0]!.at)}`}
            onClick={() => onSelect(marks)}
          >
            <span class="visually-hidden">
              {lane.agent}: {countKinds(marks)}, {formatLocalTime(marks[0]!.at)}
            </span>
            <MarkIcon kind={chooseKind(marks)} />
            {marks.length > 1 && (
              <span class="lane-count" aria-hidden="true">
                {marks.length}
              </span>
            )}
          </button>
        ))}
      </div>
    </li>
  );
}

/** Groups the marks of a window that would overlap. */
export function groupLaneMarks(marks: Mark[], window: TimeWindow, width: number): { position: number; marks: Mark[] }[] {
  const shown = marks.filter(({ at }) => Date.parse(at) >= window.fromMs);
  return groupMarks(shown, ({ at }) => toPosition(window, Date.parse(at)), (100 * minMarkPx) / Math.max(width, 1));
}

/** The kind that a group of marks is drawn as: the one that matters most. */
const chooseKind = (marks: Mark[]): Mark['kind'] =>
  (['error', 'handoff', 'done'] as const).find((kind) => marks.some((mark) => mark.kind === kind)) ?? 'done';

function countKinds(marks: Mark[]): string {
  const parts = (['done', 'handoff', 'error'] as const).map((kind) => {
    const count = marks.filter((mark) => mark.kind === kind).length;
    return count === 0 ? '' : `${count} ${markNames[kind]}${count === 1 ? '' : 's'}`;
  });
  return parts.filter(Boolean).join(', ');
}

const formatPeriod = (from: string, to: string | undefined): string =>
  to === undefined ? `since ${formatLocalTime(from)}` : `${formatLocalTime(from)} to ${formatLocalTime(to)}`;
