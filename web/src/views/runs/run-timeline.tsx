import { formatDuration } from '#lib/ago.ts';
import type { Lane } from './run-lanes.ts';
import { getTone, RunState } from './run-state.tsx';

const toPercent = (ms: number, endMs: number): string => `${Math.max(0, Math.min(100, (ms / endMs) * 100))}%`;

/** One lane for each skill of a phase: attempts as bars, gates and verdicts as marks. Screen readers get the same as a list. */
export const RunTimeline = ({ lanes, endMs }: { lanes: Lane[]; endMs: number }) => (
  <ol class="run-lanes">
    {lanes.map((lane) => (
      <li key={lane.key} class="run-lane">
        <span class="lane-name">
          <span class="line" title={`${lane.phase} ${lane.skill}`}>
            <span class="muted">{lane.phase}</span> {lane.skill}
          </span>
        </span>
        <span class="lane-track">
          {lane.bars.map(({ fromMs, toMs, status, label }, i) => (
            <span
              key={i}
              class={`lane-bar ${getTone(status)}`}
              style={{ left: toPercent(fromMs, endMs), width: toPercent(toMs - fromMs, endMs) }}
              title={`${label}, ${formatDuration(toMs - fromMs)}`}
            >
              <span class="visually-hidden">
                {label}, {formatDuration(toMs - fromMs)}
              </span>
            </span>
          ))}
          {lane.marks.map(({ atMs, status, label }, i) => (
            <span key={i} class={`lane-mark ${getTone(status)}`} style={{ left: toPercent(atMs, endMs) }} title={label}>
              <span class="visually-hidden">{label}</span>
            </span>
          ))}
        </span>
        <span class="lane-end">
          {lane.status && <RunState status={lane.status} />}
          {lane.durationMs !== undefined && <span class="muted">{formatDuration(lane.durationMs)}</span>}
        </span>
      </li>
    ))}
    <li class="run-scale muted" aria-hidden="true">
      <span>0</span>
      <span>{formatDuration(endMs / 2)}</span>
      <span>{formatDuration(endMs)}</span>
    </li>
  </ol>
);
