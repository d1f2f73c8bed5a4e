import { formatAge } from '#core/terminal/cell.ts';
import { useNow } from '../state/clock.ts';

const local = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });

/** A time in the zone of the reader. */
export const formatLocalTime = (time: string): string => local.format(new Date(time));

/** An age in the reader's language, with the local and the UTC time as title. */
export function TimeAgo({ time, isDate = false }: { time: string; isDate?: boolean }) {
  const now = useNow();
  const date = new Date(time);
  const isValid = !Number.isNaN(date.getTime());
  const text = isDate && isValid ? local.format(date) : formatAge(time, now);
  return (
    <time dateTime={time} title={isValid ? `${local.format(date)} (${time.slice(0, 16).replace('T', ' ')} UTC)` : time}>
      {text}
    </time>
  );
}
