import { check, description, metadata, optional, pipe, regex, string } from 'valibot';
import { isoTime } from '#lib/iso-time.ts';

const wanted = 'must be a moment such as 2026-01-31T00:45:00Z';

/** No thirteenth month, and no thirtieth of February, which would pass for a day in March. */
const isMoment = (text: string): boolean => {
  const ms = Date.parse(text);
  return !Number.isNaN(ms) && isoTime(ms).slice(0, 19) === text.slice(0, 19);
};

/** `--now`: the moment that is written into what is made, so that it can be made again byte by byte. */
export const nowParam = optional(
  pipe(
    string(),
    regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,3})?Z$/, wanted),
    check(isMoment, wanted),
    description('The moment to write down, instead of that of the call'),
    metadata({ value: 'TIME' }),
  ),
);
