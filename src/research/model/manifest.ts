import {
  array,
  boolean,
  check,
  description,
  type InferOutput,
  maxLength,
  metadata,
  minLength,
  object,
  optional,
  picklist,
  pipe,
  regex,
  strictObject,
  string,
} from 'valibot';
import { FilePath, isStorable, Line, TaskId } from '#core/model/scalars.ts';

export const ResearchStatus = picklist(['complete', 'partial', 'blocked']);
export type ResearchStatus = InferOutput<typeof ResearchStatus>;

export const EntryId = pipe(
  string(),
  maxLength(120, 'must have at most 120 characters'),
  regex(/^T\d{3,15}-[a-z0-9]+(-[a-z0-9]+)*$/, 'must be a task id and a slug, e.g. T002-parsers'),
  description('The entry, e.g. T002-parsers'),
  metadata({ value: 'ENTRY' }),
);

const Sentence = pipe(
  string(),
  minLength(1, 'must not be empty'),
  maxLength(1000, 'must have at most 1000 characters'),
  check(isStorable, 'must not contain NUL or lone surrogates'),
);
const many = 'must have at most 50 items';
const sentences = (about: string) => pipe(array(Sentence), maxLength(50, many), description(about), metadata({ separator: '|' }));

export const AgentType = pipe(
  string(),
  regex(/^[a-z0-9]+(-[a-z0-9]+)*$/, 'may hold a-z, 0-9 and -'),
  maxLength(50, 'must have at most 50 characters'),
  description('What kind of work it was: the name of its protocol'),
);
export const Topic = pipe(Line, maxLength(100, 'must have at most 100 characters'));
export const DateText = pipe(
  string(),
  check(
    (text) => /^\d{4}-\d{2}-\d{2}$/.test(text) && new Date(`${text}T00:00:00Z`).toJSON()?.startsWith(text) === true,
    'must be a date such as 2026-01-31',
  ),
  metadata({ jsonSchema: { type: 'string', pattern: '^\\d{4}-\\d{2}-\\d{2}$' }, value: 'DATE' }),
);

/** A line of `MANIFEST.jsonl` as we write it. */
export const ManifestEntry = strictObject({
  id: EntryId,
  file: pipe(FilePath, description('The output file, as a path from the project folder')),
  title: pipe(Line, description('What it is about')),
  date: pipe(DateText, description('When it was written')),
  status: pipe(ResearchStatus, description('complete, or what is missing stands in needs_followup')),
  agent_type: AgentType,
  topics: pipe(array(Topic), maxLength(50, many), description('Words to find it by')),
  key_findings: sentences('What was found, a sentence each'),
  actionable: pipe(boolean(), description('Something follows from it')),
  needs_followup: sentences('What is left to do, or what blocks it'),
  linked_tasks: pipe(array(TaskId), maxLength(50, many), description('Tasks it belongs to')),
});
export type ManifestEntry = InferOutput<typeof ManifestEntry>;

/** A line as agents write it by hand: what says what it is has to be there, the rest may be missing, and there may be more. */
export const ReadEntry = object({
  id: pipe(string(), minLength(1)),
  file: pipe(string(), minLength(1)),
  title: string(),
  date: optional(string()),
  status: ResearchStatus,
  agent_type: optional(string()),
  topics: optional(array(string()), []),
  key_findings: optional(array(string()), []),
  actionable: optional(boolean(), false),
  needs_followup: optional(array(string()), []),
  linked_tasks: optional(array(string()), []),
});
export type ReadEntry = InferOutput<typeof ReadEntry>;
