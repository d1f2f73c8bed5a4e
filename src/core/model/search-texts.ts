import { maxLength, minLength, pipe, regex, string } from 'valibot';
import { storable } from './storable.ts';

// The texts that searches and filters need. Those of writes are in `texts.ts`: creating them takes 1 % of a search in the native build.
export const Label = pipe(
  string(),
  minLength(1, 'must not be empty'),
  maxLength(50, 'must have at most 50 characters'),
  regex(/^[a-z0-9._:/-]+$/, 'may contain only a-z 0-9 . _ : / -'),
);
export const SearchText = pipe(string(), maxLength(1000, 'must have at most 1000 characters'), storable);
