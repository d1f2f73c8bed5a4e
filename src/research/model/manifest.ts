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
import { DateText } from '#core/model/date-text.ts';
import { TaskIdSchema } from '#core/model/scalars.ts';
import { isStorable } from '#core/model/storable.ts';
import { FilePath, Line } from '#core/model/texts.ts';

export const ResearchStatusSchema = picklist(['complete', 'partial', 'blocked']);
export type ResearchStatus = InferOutput<typeof ResearchStatusSchema>;

/** Message that a subagent returned. Any text is accepted, so that the error can show the valid forms. */
export const ReturnMessage = pipe(string(), maxLength(100_000, 'must have at most 100000 characters'));

const EntryId = pipe(
  string(),
  maxLength(120, 'must have at most 120 characters'),
  regex(/^T\d{3,15}-[a-z0-9]+(-[a-z0-9]+)*$/, 'must be a task id and a slug, e.g. T002-parsers'),
  description('Entry id, e.g. T002-parsers'),
  metadata({ value: 'ENTRY' }),
);

const Sentence = pipe(
  string(),
  minLength(1, 'must not be empty'),
  maxLength(1000, 'must have at most 1000 characters'),
  check(isStorable, 'must not contain NUL or lone surrogates'),
);
const maxItemsMessage = 'must have at most 50 items';
const createSentenceList = (about: string) =>
  pipe(array(Sentence), maxLength(50, maxItemsMessage), description(about), metadata({ separator: '|' }));

export const AgentType = pipe(
  string(),
  regex(/^[a-z0-9]+(-[a-z0-9]+)*$/, 'may contain only a-z, 0-9 and -'),
  maxLength(50, 'must have at most 50 characters'),
  description('Kind of work: the name of its protocol'),
);
export const Topic = pipe(Line, maxLength(100, 'must have at most 100 characters'));

/** A line of `MANIFEST.jsonl` as cleo writes it. */
export const ManifestEntrySchema = strictObject({
  id: EntryId,
  file: pipe(FilePath, description('Output file, as a path relative to the project folder')),
  title: pipe(Line, description('Title')),
  date: pipe(DateText, description('Date of the work')),
  status: pipe(ResearchStatusSchema, description('complete, partial or blocked; the last two require needs_followup')),
  agent_type: AgentType,
  topics: pipe(array(Topic), maxLength(50, maxItemsMessage), description('Search terms')),
  key_findings: createSentenceList('Findings, one sentence each'),
  actionable: pipe(boolean(), description('The findings require action')),
  needs_followup: createSentenceList('Remaining work or blockers'),
  linked_tasks: pipe(array(TaskIdSchema), maxLength(50, maxItemsMessage), description('Tasks that the entry belongs to')),
});
export type ManifestEntry = InferOutput<typeof ManifestEntrySchema>;

/** A line as agents write it by hand: identifying fields are required, the others optional, and unknown fields are allowed. */
export const ParsedEntrySchema = object({
  id: pipe(string(), minLength(1)),
  file: pipe(string(), minLength(1)),
  title: string(),
  date: optional(string()),
  status: ResearchStatusSchema,
  agent_type: optional(string()),
  topics: optional(array(string()), []),
  key_findings: optional(array(string()), []),
  actionable: optional(boolean(), false),
  needs_followup: optional(array(string()), []),
  linked_tasks: optional(array(string()), []),
});
export type ParsedEntry = InferOutput<typeof ParsedEntrySchema>;
