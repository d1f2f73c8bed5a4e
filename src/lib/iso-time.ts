/** `2026-11-15T12:00:00.000Z` of milliseconds since 1970. Written out because the first `Date` of a process costs it as much
 *  as a query: its tables of time zones, which UTC does not need. */
export function isoTime(ms: number): string {
  const days = Math.floor(ms / 86_400_000);
  const rest = ms - days * 86_400_000;
  // Years begin in March here, so that the leap day is the last of its year; 400 years have 146,097 days.
  const sinceMarch = days + 719_468;
  const era = Math.floor(sinceMarch / 146_097);
  const dayOfEra = sinceMarch - era * 146_097;
  const yearOfEra = Math.floor(
    (dayOfEra - Math.floor(dayOfEra / 1460) + Math.floor(dayOfEra / 36_524) - Math.floor(dayOfEra / 146_096)) / 365,
  );
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const march = Math.floor((5 * dayOfYear + 2) / 153);
  const day = dayOfYear - Math.floor((153 * march + 2) / 5) + 1;
  const month = march < 10 ? march + 3 : march - 9;
  const year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0);
  const time = [rest / 3_600_000, (rest / 60_000) % 60, (rest / 1000) % 60].map((part) => two(Math.floor(part))).join(':');
  return `${year}-${two(month)}-${two(day)}T${time}.${String(rest % 1000).padStart(3, '0')}Z`;
}

const two = (n: number): string => String(n).padStart(2, '0');
