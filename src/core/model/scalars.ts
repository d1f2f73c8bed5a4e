import {
  check,
  custom,
  description,
  type InferOutput,
  maxLength,
  metadata,
  minLength,
  picklist,
  pipe,
  regex,
  string,
  transform,
} from 'valibot';
import { evidenceGateNames } from './config.ts';

export const StatusSchema = picklist(['pending', 'active', 'blocked', 'done']);
export const PrioritySchema = picklist(['critical', 'high', 'medium', 'low']);
export const TaskSizeSchema = picklist(['small', 'medium', 'large']);
export const TaskTypeSchema = picklist(['saga', 'epic', 'task', 'subtask']);
export const ResolutionSchema = picklist(['done', 'cancelled', 'duplicate', 'wontfix']);
export const RelationTypeSchema = picklist(['blocks', 'related', 'duplicates', 'absorbs', 'fixes', 'extends', 'supersedes']);
export const GateNameSchema = picklist(evidenceGateNames);

export type Status = InferOutput<typeof StatusSchema>;
export type Priority = InferOutput<typeof PrioritySchema>;
export type TaskSize = InferOutput<typeof TaskSizeSchema>;
export type TaskType = InferOutput<typeof TaskTypeSchema>;
export type Resolution = InferOutput<typeof ResolutionSchema>;
export type RelationType = InferOutput<typeof RelationTypeSchema>;
export type GateName = InferOutput<typeof GateNameSchema>;
export type TaskId = string;

/** Converts `T1`, `t001`, `1`, `E-T012` or `SG-T3` to the canonical form `T001`. Undefined for anything else. */
export function parseTaskId(text: string): TaskId | undefined {
  // Callers mostly send the canonical form, which needs no pattern.
  const seq = text.startsWith('T') && text.length < 16 ? Number(text.slice(1)) : 0;
  // `T1.5` and `TInfinity` are numbers too.
  if (seq > 0 && Number.isInteger(seq) && toTaskId(seq) === text) return text;
  const digits = /^\s*(?:SG-|E-|T-)?T?0*([1-9][0-9]{0,14})\s*$/i.exec(text)?.[1];
  return digits === undefined ? undefined : toTaskId(Number(digits));
}

export function toTaskId(seq: number): TaskId {
  return `T${String(seq).padStart(3, '0')}`;
}

export function toTaskNumber(id: TaskId): number {
  return Number(id.slice(1));
}

// A custom schema, not a check in a pipe: a malformed id is a call of the wrong shape (exit 2), not a broken rule (exit 6).
export const TaskIdSchema = pipe(
  custom<string>((value) => typeof value === 'string' && parseTaskId(value) !== undefined, 'Expected a task id such as T001'),
  transform((text) => parseTaskId(text) as TaskId),
  // Ids of other tools are accepted too; see `resolveAliases`.
  metadata({ jsonSchema: { type: 'string', pattern: '^\\S{1,200}$' }, value: 'T###' }),
);

/** Checks that both databases store a text byte for byte: no NUL and no lone surrogate. */
export const isStorable = (text: string): boolean => !text.includes('\0') && text.isWellFormed();

const storable = check(isStorable, 'must not contain NUL or lone surrogates');
const withoutControls = check((text: string) => !/[\u0000-\u001f\u007f-\u009f]/.test(text), 'must not contain control characters');
const trim = transform((text: string) => text.trim());

// The length is checked first, so that a text of ten megabytes is rejected without being scanned.
const textSchema = (min: number, max: number) =>
  pipe(string(), minLength(min, `must have at least ${min} character`), maxLength(max, `must have at most ${max} characters`), storable);

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
  textSchema(0, 8000),
  description('Context for a reader who knows nothing about it (at most 8,000 characters)'),
);
export const NoteText = pipe(textSchema(1, 4000), description('Note, appended with time and author (at most 4,000 characters)'));
export const Reason = pipe(textSchema(1, 1000), description('Why (at most 1,000 characters)'));
export const Criterion = pipe(
  string(),
  trim,
  minLength(1, 'must not be empty'),
  maxLength(1000, 'must have at most 1000 characters'),
  storable,
);
export const Label = pipe(
  string(),
  minLength(1, 'must not be empty'),
  maxLength(50, 'must have at most 50 characters'),
  regex(/^[a-z0-9._:/-]+$/, 'may contain only a-z 0-9 . _ : / -'),
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
export const AgentId = pipe(string(), regex(/^[\w.:@/-]{1,100}$/, 'may contain letters, digits and . _ : @ / - (at most 100)'));
export const SearchText = pipe(string(), maxLength(1000, 'must have at most 1000 characters'), storable);
