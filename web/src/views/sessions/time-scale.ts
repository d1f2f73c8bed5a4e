const [minuteMs, hourMs, dayMs] = [60_000, 3_600_000, 86_400_000];

/** Distances between two ticks of the time axis. */
const steps = [
  minuteMs,
  5 * minuteMs,
  15 * minuteMs,
  30 * minuteMs,
  hourMs,
  3 * hourMs,
  6 * hourMs,
  12 * hourMs,
  dayMs,
  2 * dayMs,
  7 * dayMs,
  30 * dayMs,
];

/** A shorter timeline would stretch seconds over the whole width. */
const minSpanMs = 2 * minuteMs;

/** The part of the time that is shown. */
export interface TimeWindow {
  fromMs: number;
  toMs: number;
}

/** Creates the window from the first entry, or from `rangeMs` ago, until now. */
export function createTimeWindow(firstMs: number, nowMs: number, rangeMs: number | undefined): TimeWindow {
  const fromMs = rangeMs === undefined ? firstMs : Math.max(firstMs, nowMs - rangeMs);
  return { fromMs: Math.min(fromMs, nowMs - minSpanMs), toMs: nowMs };
}

/** Returns the position of a time from 0 to 100; times outside the window are at its ends. */
export const toPosition = ({ fromMs, toMs }: TimeWindow, timeMs: number): number =>
  Math.max(0, Math.min(100, (100 * (timeMs - fromMs)) / (toMs - fromMs)));

/** Lists at most `maxCount` times of the window at round hours or days of the reader's zone. `offsetMs` is the distance of that zone from UTC. */
export function listTicks({ fromMs, toMs }: TimeWindow, maxCount: number, offsetMs: number): { ticks: number[]; isDays: boolean } {
  const step =
    steps.find((each) => (toMs - fromMs) / each <= maxCount) ?? steps.at(-1)! * Math.ceil((toMs - fromMs) / steps.at(-1)! / maxCount);
  const ticks: number[] = [];
  for (let at = Math.ceil((fromMs + offsetMs) / step) * step - offsetMs; at <= toMs; at += step) ticks.push(at);
  return { ticks, isDays: step >= dayMs };
}

/** Groups marks that would overlap: those within `minDistance` of the first one, in the units of the position. */
export function groupMarks<T>(marks: T[], getPosition: (mark: T) => number, minDistance: number): { position: number; marks: T[] }[] {
  const groups: { position: number; marks: T[] }[] = [];
  for (const mark of [...marks].sort((a, b) => getPosition(a) - getPosition(b))) {
    const last = groups.at(-1);
    if (last && getPosition(mark) - last.position < minDistance) last.marks.push(mark);
    else groups.push({ position: getPosition(mark), marks: [mark] });
  }
  return groups;
}
