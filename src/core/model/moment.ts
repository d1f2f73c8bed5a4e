import { check, metadata, pipe, string } from 'valibot';
import { isDate } from './date-text.ts';

/** A time: a date, a full time in UTC, or how long ago it was. `parseAgo` converts it. */
export const MomentSchema = pipe(
  string(),
  check((text) => isDate(text) || isTime(text) || /^\d{1,5}[mhdw]$/.test(text), 'must be like 30d, 12h or 2026-01-31'),
  metadata({ jsonSchema: { type: 'string' }, value: 'DATE' }),
);

const isTime = (text: string): boolean =>
  /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?Z$/.test(text) && !Number.isNaN(Date.parse(text));
