const unitMinutes: Record<string, number> = { m: 1, h: 60, d: 1440, w: 10_080 };

/** Converts `30d`, `12h`, `90m` or `2w` to the time that long before `now`, a date to the start of that day, and a full time to its
 *  canonical form. */
export function parseAgo(now: string, text: string): string {
  const [, count, unit] = /^(\d+)([mhdw])$/.exec(text) ?? [];
  if (!count || !unit) return text.includes('T') ? new Date(text).toISOString() : `${text}T00:00:00.000Z`;
  return new Date(Date.parse(now) - Number(count) * (unitMinutes[unit] ?? 0) * 60_000).toISOString();
}
/** Formats a duration with a unit that fits its length. */
export function formatDuration(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s`;
  return ms < 3_600_000 ? `${(ms / 60_000).toFixed(1)} min` : `${(ms / 3_600_000).toFixed(1)} h`;
}
