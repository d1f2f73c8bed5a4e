import { description, metadata, optional, pipe, regex, string } from 'valibot';

/** `--now`: the moment that is written into what is made, so that it can be made again byte by byte. */
export const nowParam = optional(
  pipe(
    string(),
    regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,3})?Z$/, 'must be a moment such as 2026-01-31T00:45:00Z'),
    description('The moment to write down, instead of that of the call'),
    metadata({ value: 'TIME' }),
  ),
);
