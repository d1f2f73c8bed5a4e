import { custom, type InferOutput, metadata, picklist, pipe, regex, string, transform } from 'valibot';
import { agentIdPattern, agentIdProblem } from './agent-id.ts';
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
  if (isCanonicalId(text)) return text;
  const digits = /^\s*(?:SG-|E-|T-)?T?0*([1-9][0-9]{0,14})\s*$/i.exec(text)?.[1];
  return digits === undefined ? undefined : toTaskId(Number(digits));
}

export function isCanonicalId(text: string): text is TaskId {
  const seq = text.startsWith('T') && text.length < 16 ? Number(text.slice(1)) : 0;
  // `T1.5` and `TInfinity` are numbers too.
  return seq > 0 && Number.isInteger(seq) && toTaskId(seq) === text;
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

export const AgentId = pipe(string(), regex(agentIdPattern, agentIdProblem));
