import { check, description, maxLength, metadata, minLength, pipe, string, transform } from 'valibot';
import { storable } from './storable.ts';

const withoutControls = check((text: string) => !/[\u0000-\u001f\u007f-\u009f]/.test(text), 'must not contain control characters');
const trim = transform((text: string) => text.trim());

// The length of a long text is checked first, so that one of ten megabytes is rejected without being scanned.
export const Line = pipe(
  string(),
  trim,
  minLength(1, 'must not be empty'),
  maxLength(200, 'must have at most 200 characters'),
  storable,
  withoutControls,
);
export const Title = pipe(Line, description('What to do, in the imperative (1-200 characters)'));
export const Description = pipe(
  string(),
  minLength(0, 'must have at least 0 character'),
  maxLength(8000, 'must have at most 8000 characters'),
  storable,
  description('Context for a reader who knows nothing about it (at most 8,000 characters)'),
);
export const NoteText = pipe(
  string(),
  minLength(1, 'must have at least 1 character'),
  maxLength(4000, 'must have at most 4000 characters'),
  storable,
  description('Note, appended with time and author (at most 4,000 characters)'),
);
export const Reason = pipe(
  string(),
  minLength(1, 'must have at least 1 character'),
  maxLength(1000, 'must have at most 1000 characters'),
  storable,
  description('Why (at most 1,000 characters)'),
);
export const Criterion = pipe(
  string(),
  trim,
  minLength(1, 'must not be empty'),
  maxLength(1000, 'must have at most 1000 characters'),
  storable,
);
export const Phase = pipe(
  Line,
  maxLength(50, 'must have at most 50 characters'),
  description('Phase of the project, e.g. setup, core, polish'),
  metadata({ isRare: true }),
);
export const FilePath = pipe(
  string(),
  minLength(1, 'must not be empty'),
  maxLength(1000, 'must have at most 1000 characters'),
  storable,
  withoutControls,
);
export const SkillName = pipe(string(), maxLength(64, 'must have at most 64 characters'), description('Name of the skill'));
