import { formatIsoTime } from '#lib/iso-time.ts';

const dayMs = 86_400_000;
const weekdays = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];

/** Converts a due date as callers write it: a date, `today`, `tomorrow`, a weekday (the next one after today), or a time from now such as
 *  `3d` or `2w`. Undefined for `none` and the empty text. Days are those of UTC. */
export function parseDue(text: string, now: string): string | undefined {
  if (/^(none)?$/i.test(text)) return undefined;
  const [, count, unit] = /^\+?(\d+)([dw])$/i.exec(text) ?? [];
  if (count) return addDays(now, Number(count) * (unit?.toLowerCase() === 'w' ? 7 : 1));
  const weekday = weekdays.indexOf(text.slice(0, 3).toLowerCase());
  if (weekday >= 0) return addDays(now, ((weekday - new Date(now).getUTCDay() + 6) % 7) + 1);
  return /^today$/i.test(text) ? addDays(now, 0) : /^tomorrow$/i.test(text) ? addDays(now, 1) : text;
}

/** Counts the days from today to a date; negative for a past one. */
export const countDaysUntil = (due: string, now: string): number =>
  Math.round((Date.parse(due) - Date.parse(toDate(Date.parse(now)))) / dayMs);

const overduePoints = 100;
const dueSoonPoints = 50;
const dueSoonDays = 3;

/** Scores a due date: an overdue task is more urgent than one that is due within three days. */
export function scoreDue(due: string | undefined, now: string): { term: string; points: number } {
  if (due === undefined) return { term: '', points: 0 };
  const days = countDaysUntil(due, now);
  if (days < 0) return { term: `overdue since ${due}`, points: overduePoints };
  return days <= dueSoonDays ? { term: `due on ${due}`, points: dueSoonPoints } : { term: '', points: 0 };
}

const addDays = (now: string, days: number): string => toDate(Date.parse(now) + days * dayMs);
const toDate = (ms: number): string => formatIsoTime(ms).slice(0, 10);
