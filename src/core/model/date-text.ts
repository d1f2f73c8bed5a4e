import { check, metadata, pipe, string } from 'valibot';

export const isDate = (text: string): boolean =>
  /^\d{4}-\d{2}-\d{2}$/.test(text) && new Date(`${text}T00:00:00Z`).toJSON()?.startsWith(text) === true;

export const DateText = pipe(
  string(),
  check(isDate, 'must be a date such as 2026-01-31'),
  metadata({ jsonSchema: { type: 'string', pattern: '^\\d{4}-\\d{2}-\\d{2}$' }, value: 'DATE' }),
);
