import { check, metadata, pipe, string } from 'valibot';
import { isDate } from '#core/model/date-text.ts';

/** Forms of a due date that callers may write, besides a date. */
const dueWords = /^(today|tomorrow|none|\+?\d{1,4}[dw]|(mon|tues?|wed(nes)?|thu(rs)?|fri|sat(ur)?|sun)(day)?)?$/i;

/** The due date of a task. It is not in `task-fields.ts`, because searches need no other field. */
export const DueInput = pipe(
  string(),
  check(
    (text) => isDate(text) || dueWords.test(text),
    'must be a date such as 2026-01-31, today, tomorrow, a weekday such as fri, or a time from now such as 3d',
  ),
  metadata({ jsonSchema: { type: 'string' }, value: 'DATE' }),
);
