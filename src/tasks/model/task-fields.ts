import {
  array,
  check,
  description,
  type InferOutput,
  is,
  literal,
  maxLength,
  metadata,
  minLength,
  optional,
  pipe,
  regex,
  strictObject,
  string,
  union,
} from 'valibot';
import { GateNameSchema, PrioritySchema, TaskIdSchema, TaskSizeSchema, TaskTypeSchema } from '#core/model/scalars.ts';
import { Label } from '#core/model/search-texts.ts';
import { Criterion, Description, FilePath, Line, NoteText, Phase, Title } from '#core/model/texts.ts';
import { wholeNumber } from '#core/model/whole-number.ts';
import { DueInput } from './due-input.ts';

/** A criterion as callers write it; a plain string is a text criterion. */
const AcceptanceInputSchema = union([
  Criterion,
  strictObject({ kind: literal('evidence_bound'), gate: GateNameSchema }),
  strictObject({ kind: literal('text'), text: Criterion }),
]);

export type AcceptanceInput = InferOutput<typeof AcceptanceInputSchema>;

/** Names of people are taken as other tools write them. */
export const Assignee = pipe(Line, maxLength(100, 'must have at most 100 characters'));

/** The empty text clears the field. */
const AssigneeInput = pipe(
  string(),
  maxLength(100, 'must have at most 100 characters'),
  check((text) => text.trim() === '' || is(Line, text), 'must not contain control characters, NUL or lone surrogates'),
);

export const Capability = pipe(
  string(),
  minLength(1, 'must not be empty'),
  maxLength(50, 'must have at most 50 characters'),
  regex(/^[a-z0-9._:/-]+$/, 'may contain only a-z 0-9 . _ : / -'),
);

export const TaskAliasInput = strictObject({
  tool: pipe(string(), regex(/^[a-z0-9][a-z0-9._:-]{0,99}$/, 'must be the name of a tool')),
  id: pipe(
    Line,
    check((id) => !/\s/.test(id), 'must not contain spaces'),
  ),
});

/** Parameters shared by `add`, `add-batch` and `update`. */
export const taskFields = {
  description: optional(Description),
  parent: optional(pipe(TaskIdSchema, description('Parent task, epic or saga'))),
  type: optional(pipe(TaskTypeSchema, description('Tier; default: the tier below the parent'))),
  depends: optional(pipe(array(TaskIdSchema), description('Tasks that must be done before this one'))),
  priority: optional(pipe(PrioritySchema, description('Urgency'))),
  size: optional(pipe(TaskSizeSchema, description('Size relative to other tasks'))),
  labels: optional(pipe(array(Label), description('Labels of a-z 0-9 . _ : / -, at most 50 characters each'))),
  phase: optional(Phase),
  files: optional(pipe(array(FilePath), description('Files it touches, relative to the project root'))),
  acceptance: optional(
    pipe(
      array(AcceptanceInputSchema),
      description('Acceptance criteria, separated by |; in JSON also {"kind":"evidence_bound","gate":…}'),
      metadata({ separator: '|' }),
    ),
  ),
  acceptEvidence: optional(pipe(array(GateNameSchema), description('Gates that need evidence before completion'))),
  notes: optional(NoteText),
  assignee: optional(pipe(AssigneeInput, description('Agent or person to do it, by name; me: yourself; none: nobody'))),
  due: optional(pipe(DueInput, description('Day it is due: 2026-01-31, today, tomorrow, fri, 3d or 2w from now; none: no day'))),
  requires: optional(
    pipe(array(Capability), description('Capabilities that its machine needs, e.g. linux or docker'), metadata({ isRare: true })),
  ),
};

// `Object.assign` instead of a spread: the build keeps an object with a spread in every part that imports this file.
export const taskInput = /* @__PURE__ */ Object.assign({ title: Title }, taskFields);

export type TaskFields = { [K in keyof typeof taskFields]?: InferOutput<(typeof taskFields)[K]> };

export const Revision = /* @__PURE__ */ wholeNumber({ min: 1 });
