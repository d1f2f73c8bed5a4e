const msPerDay = 86_400_000;
/** From 0000-03-01, the first day of the 400-year cycle that the calculation counts in, to 1970-01-01. */
const daysBeforeEpoch = 719_468;
const minMs = Date.UTC(1970, 0, 1);
const maxMs = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

/** Formats a time as `Date.prototype.toISOString` does. The first call of that method reads the time zone of the system, which takes 1 %
 *  of a start. */
export function formatIsoTime(ms: number): string {
  if (!Number.isInteger(ms) || ms < minMs || ms > maxMs) return new Date(ms).toISOString();
  const days = Math.floor(ms / msPerDay) + daysBeforeEpoch;
  const cycle = Math.floor(days / 146_097);
  const dayOfCycle = days - cycle * 146_097;
  // Years begin in March, so that a leap day is the last day of its year.
  const yearOfCycle = Math.floor(
    (dayOfCycle - Math.floor(dayOfCycle / 1460) + Math.floor(dayOfCycle / 36_524) - Math.floor(dayOfCycle / 146_096)) / 365,
  );
  const dayOfYear = dayOfCycle - (365 * yearOfCycle + Math.floor(yearOfCycle / 4) - Math.floor(yearOfCycle / 100));
  const monthFromMarch = Math.floor((5 * dayOfYear + 2) / 153);
  const day = dayOfYear - Math.floor((153 * monthFromMarch + 2) / 5) + 1;
  const month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9;
  const year = cycle * 400 + yearOfCycle + (month < 3 ? 1 : 0);
  const time = ms % msPerDay;
  const hour = Math.floor(time / 3_600_000);
  const minute = Math.floor(time / 60_000) % 60;
  const second = Math.floor(time / 1000) % 60;
  return `${year}-${pad(month)}-${pad(day)}T${pad(hour)}:${pad(minute)}:${pad(second)}.${pad(time % 1000, 3)}Z`;
}

const pad = (value: number, length = 2): string => String(value).padStart(length, '0');
