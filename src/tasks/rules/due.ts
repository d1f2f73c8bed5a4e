import { formatIsoTime } from '#lib/iso-time.ts';

const dayMs = 86_400_000;
const weekdays = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];

/** Converts a due date as callers write it: a date, `today`, `tomorrow`, a weekday (the next one after today), or a time from now such as
 *  `3d` or `2w`. Undefined for `none` and the empty text. `today` is a date. */
export function parseDue(text: string, today: string): string | undefined {
  if (/^(none)?$/i.test(text)) return undefined;
  const [, count, unit] = /^\+?(\d+)([dw])$/i.exec(text) ?? [];
  if (count) return addDays(today, Number(count) * (unit?.toLowerCase() === 'w' ? 7 : 1));
  const weekday = weekdays.indexOf(text.slice(0, 3).toLowerCase());
  if (weekday >= 0) return addDays(today, ((weekday - new Date(today).getUTCDay() + 6) % 7) + 1);
  return /^today$/i.test(text) ? today : /^tomorrow$/i.test(text) ? addDays(today, 1) : text;
}

/** Counts the days from today to a date; negative for a past one. */
export const countDaysUntil = (due: string, today: string): number => Math.round((Date.parse(due) - Date.parse(today)) / dayMs);

const overduePoints = 100;
const dueSoonPoints = 50;
export const maxDuePoints = overduePoints;
export const dueSoonDays = 3;

/** Scores a due date: an overdue task is more urgent than one that is due within three days. */
export function scoreDue(due: string | undefined, today: string): { term: string; points: number } {
  if (due === undefined) return { term: '', points: 0 };
  const days = countDaysUntil(due, today);
  if (days < 0) return { term: `overdue since ${due}`, points: overduePoints };
  return days <= dueSoonDays ? { term: `due on ${due}`, points: dueSoonPoints } : { term: '', points: 0 };
}

const addDays = (date: string, days: number): string => formatIsoTime(Date.parse(date) + days * dayMs).slice(0, 10);
