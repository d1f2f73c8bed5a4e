import { check, description, metadata, optional, pipe, regex, string } from 'valibot';

const message = 'must be a UTC timestamp such as 2026-01-31T00:45:00Z';

/** Rejects dates that do not exist: `Date` turns February 30 into a day in March. */
const isTimestamp = (text: string): boolean => {
  const ms = Date.parse(text);
  return !Number.isNaN(ms) && new Date(ms).toISOString().slice(0, 19) === text.slice(0, 19);
};

/** `--now`: the timestamp of the result, so that the same call gives the same bytes. */
export const nowParam = optional(
  pipe(
    string(),
    regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,3})?Z$/, message),
    check(isTimestamp, message),
    description('Timestamp of the result; defaults to the current time'),
    metadata({ value: 'TIME' }),
  ),
);
