import { pipe, regex, string } from 'valibot';

/** Tells apart several sources of the same tool. */
export const SourceName = pipe(string(), regex(/^[a-z0-9._-]{1,50}$/, 'must consist of a-z 0-9 . _ - (at most 50)'));
