import {
  array,
  boolean,
  description,
  integer,
  literal,
  looseObject,
  maxValue,
  metadata,
  minLength,
  minValue,
  nullable,
  number,
  optional,
  picklist,
  pipe,
  record,
  regex,
  string,
  union,
  unknown,
} from 'valibot';
import { stageNames } from '#planning/model/lifecycle.ts';
import { exitClasses, failureClasses } from './skill-exit.ts';

/** What numbers in a manifest, or in the schema of a document, may be. */
export const limits = {
  milliseconds: { min: 0, max: 86_400_000, whole: true },
  retries: { min: 0, max: 10, whole: true },
  share: { min: 0, max: 1 },
  weight: { min: 0, max: 1000 },
  days: { min: 0, max: 36_500, whole: true },
  votes: { min: 1, max: 15, whole: true },
  concurrency: { min: 1, max: 64, whole: true },
  reviewers: { min: 1, max: 20, whole: true },
  words: { min: 0, max: 100_000, whole: true },
  items: { min: 0, max: 10_000, whole: true },
} as const;

/** The names that a part of a manifest knows; others are left aside, with a warning. */
export const keysOf = <E extends object>({ entries }: { entries: E }): (keyof E & string)[] => Object.keys(entries) as (keyof E & string)[];

type Limits = { min: number; max: number; whole?: true };
const within = ({ min, max, whole }: Limits, about: string) =>
  whole
    ? optional(pipe(number(), integer(), minValue(min), maxValue(max), description(about)))
    : optional(pipe(number(), minValue(min), maxValue(max), description(about)));
const text = (about: string) => optional(pipe(string(), description(about)));
const texts = (about: string) => optional(pipe(union([string(), array(string())]), description(about)));
const Argv = pipe(array(string()), minLength(1));
/** For others: left as it is. */
const anything = optional(unknown());
/** What stands for a list or a map of the author's own names. */
const oneOf = <const T extends readonly string[]>(names: T, about: string) => optional(pipe(picklist(names), description(about)));

export const MetadataPart = looseObject({
  name: text('What {project} stands for where nothing else says'),
  version: text('In quotes where it looks like a number'),
  description: text('What it is for'),
  ...{ author: anything, license: anything, tags: anything, labels: anything, annotations: anything },
});

export const ExitCodePart = looseObject({ name: text('What the code is called'), class: oneOf(exitClasses, 'What it thereby means') });
const exitCodes = (about: string) =>
  optional(
    pipe(
      record(pipe(string(), regex(/^\d{1,3}$/)), union([string(), ExitCodePart])),
      description(about),
      metadata({
        jsonSchema: {
          type: 'object',
          propertyNames: { pattern: '^([0-9]|[1-9][0-9]|1[0-9]{2}|2[0-4][0-9]|25[0-5])$' },
          additionalProperties: {
            anyOf: [{ type: 'string' }, { type: 'object', properties: { name: { type: 'string' }, class: { enum: [...exitClasses] } } }],
          },
        },
      }),
    ),
  );

export const SkillPart = looseObject({
  name: text('The skill, by the name of its folder'),
  slug: text('The same, as packs say it'),
  phase: text('The phase it runs in'),
  required: optional(pipe(boolean(), description('false: it may be absent'))),
  path: text('Its folder, where it is none of .cleo/skills, .claude/skills and skills'),
  run: optional(pipe(union([string(), Argv]), description('The program and its arguments; with shell: true, one line'))),
  shell: optional(pipe(boolean(), description('run is one line for the shell'))),
  env: texts('Variables it is given beside the usual ones'),
  credentials: texts('Variables that are secret'),
  timeout_ms: within(limits.milliseconds, 'How long one attempt may take; 0: as long as it does'),
  max_retries: within(limits.retries, 'How often it is tried again'),
  version: anything,
  description: anything,
});

const quality = {
  schema: text('prd-v1, sdd-v1, sprint-v1, research-note, or one of .cleo/schemas'),
  min_completeness: within(limits.share, 'How complete it has to be, from 0 to 1'),
  required_sections: optional(
    pipe(union([boolean(), array(string())]), description('Sections that must not be empty; true: all that the schema requires')),
  ),
};

export const ArtifactPart = looseObject({
  path: pipe(string(), description('From the project folder; * and {project}, {run_id}, {phase}, {date} or a --var may be in it')),
  ...quality,
  required: optional(pipe(boolean(), description('false: it may be absent'))),
  description: anything,
});
const artifacts = (about: string) => optional(pipe(array(union([string(), ArtifactPart])), description(about)));

export const PhasePart = looseObject({
  name: text('In a list of phases'),
  description: anything,
  skills: texts('Skills that run in it, beside those that name it'),
  receives: artifacts('What it needs'),
  requires: artifacts('What it needs'),
  produces: artifacts('What it makes'),
  inputs: artifacts('What it needs'),
  outputs: artifacts('What it makes'),
});

export const ContractPart = looseObject({
  inputs: artifacts('What it needs; a path may end with " (optional)"'),
  outputs: artifacts('What it makes'),
  exit_codes: exitCodes('What its skills end with'),
  description: anything,
});

export const ExecutionPart = looseObject({
  type: oneOf(['sequential', 'parallel'], 'parallel: the skills of one phase run side by side'),
  phases: texts('The phases, in the order in which they run'),
  max_concurrency: within(limits.concurrency, 'How many skills may run side by side'),
  executor: optional(pipe(Argv, description('Runs skills that bring nothing to run themselves'))),
});

export const CapturePart = looseObject({
  enabled: optional(pipe(boolean(), description('false: only how it ended is kept'))),
  retention_days: optional(
    pipe(nullable(pipe(number(), integer(), minValue(0), maxValue(limits.days.max))), description('0: gone when the run ends; null: kept')),
  ),
  include_inputs: oneOf(['none', 'hashed', 'full'], 'What traces keep of inputs'),
  include_outputs: oneOf(['none', 'summary', 'full'], 'What traces keep of outputs'),
});

export const RubricPart = looseObject({ id: string(), question: string(), weight: within(limits.weight, 'How much it counts') });
export const GoalPart = looseObject({
  mode: oneOf(['off', 'judge', 'review', 'judge_then_review'], 'Who says whether the goal was reached'),
  enforce: optional(pipe(boolean(), description('true: it decides how the run ends'))),
  rubric: optional(pipe(array(RubricPart), description('What a judge is asked'))),
});

export const JudgePart = looseObject({
  command: pipe(Argv, description('Reads a request as JSON and prints a verdict as JSON')),
  timeout_ms: within(limits.milliseconds, 'How long it may take'),
  max_retries: within(limits.retries, 'How often it is asked again where it says nothing'),
  votes: within(limits.votes, 'How often it is asked; an odd number'),
  min_score: within(limits.share, 'What a pass needs, from 0 to 1'),
});

const severity = oneOf(['block', 'warn'], 'warn: it is told and goes on');
const checks = optional(
  pipe(
    array(union([string(), record(string(), unknown())])),
    description(
      '<id>_exists, <id>_completeness: n, exists: path, env: NAME, command: [argv], context_files_exist, operator_detected, git_clean',
    ),
  ),
);
export const PreconditionPart = looseObject({ checks, severity });
export const ExecutionGatePart = looseObject({
  timeout_ms: within(limits.milliseconds, 'How long one attempt may take; 0: as long as it does'),
  max_retries: within(limits.retries, 'How often it is tried again'),
  retry_on: optional(pipe(array(picklist(failureClasses)), description('Classes of exit codes that are tried again'))),
  deadline_ms: within(limits.milliseconds, 'For all attempts of all skills together; 0: as long as they take'),
  kill_grace_ms: within(limits.milliseconds, 'Between the request to end and the end'),
  severity,
});
export const OutputPart = looseObject({
  ...quality,
  primary_schema: text('A JSON Schema of .cleo/schemas for what the skill prints'),
  severity,
  checks,
});
export const GatesPart = looseObject({
  selection: anything,
  precondition: optional(PreconditionPart),
  execution: optional(ExecutionGatePart),
  output: optional(OutputPart),
  goal: optional(GoalPart),
});

export const ValidationPart = looseObject(quality);
const onFailure = ['block', 'warn', 'skip'] as const;
export const HandoffPart = looseObject({
  from: text('The phase that hands on, where the name of the handoff does not tell'),
  to: text('The phase that receives'),
  required_artifacts: artifacts('What must be there'),
  requires: artifacts('What must be there'),
  optional_artifacts: artifacts('What may be there'),
  validation: optional(ValidationPart),
  on_failure: oneOf(onFailure, 'block: the receiver is not started'),
  on_missing: oneOf(onFailure, 'The same'),
  description: anything,
});

export const RedactionPart = looseObject({
  patterns: texts('Regular expressions (RE2) of what is hidden besides'),
  allow: texts('Fingerprints of what is not hidden'),
});

export const AssessmentPart = looseObject({
  capture: optional(CapturePart),
  gates: optional(pipe(record(string(), GatesPart), description('By phase'))),
  goal: optional(GoalPart),
  judge: optional(JudgePart),
  exit_codes: exitCodes('What skills end with'),
  handoffs: optional(pipe(record(string(), HandoffPart), description('By phases: discovery_to_design'))),
  selection: oneOf(['heuristic', 'judge', 'review', 'off'], 'Who says whether it is the right skill'),
  reviewers_required: within(limits.reviewers, 'How many people a review needs'),
  redaction: optional(RedactionPart),
});

/** A construct.yaml as its author writes it. */
export const ConstructFile = looseObject({
  apiVersion: literal('loa/v1'),
  kind: literal('Construct'),
  metadata: optional(MetadataPart),
  skills: optional(pipe(array(union([string(), SkillPart])), description('The skills that it runs'))),
  execution: optional(ExecutionPart),
  phases: optional(
    pipe(
      union([record(string(), nullable(PhasePart)), array(union([string(), PhasePart]))]),
      description('What each phase needs and makes'),
    ),
  ),
  contracts: optional(pipe(record(string(), ContractPart), description('The same, with exit codes, by phase'))),
  assessment: optional(AssessmentPart),
  exit_codes: exitCodes('What skills end with'),
  env: texts('Variables that skills are given beside the usual ones'),
  credentials: texts('Variables that are secret'),
  lifecycle_stage: oneOf(
    stageNames.filter((stage) => stage !== 'release'),
    'The stage of the epic that a successful run for a task completes',
  ),
  description: anything,
  ...{ schema_version: anything, name: anything, version: anything, slug: anything, author: anything, license: anything },
  ...{ tags: anything, repository: anything, homepage: anything },
});

export const SectionPart = looseObject({
  id: string(),
  titles: texts('Headings that it may stand under'),
  required: optional(pipe(boolean(), description('false: it does not count'))),
  weight: within(limits.weight, 'How much it counts'),
  min_words: within(limits.words, 'From how many words on it is whole'),
  min_items: within(limits.items, 'From how many list items or rows on it is whole'),
  description: anything,
});

/** A *.doc.yaml as its author writes it. */
export const DocSchemaFile = looseObject({
  id: text('What manifests call it; the name of the file otherwise'),
  version: text('In quotes where it looks like a number'),
  sections: optional(array(SectionPart)),
  front_matter: optional(pipe(record(string(), unknown()), description('A JSON Schema of what stands between the dashes at its top'))),
  description: anything,
});
