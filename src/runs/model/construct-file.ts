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

/** Ranges of the numbers in a manifest and in a document schema. */
export const manifestLimits = {
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

/** The known keys of one part of a manifest; the reader ignores others with a warning. */
export const listPartKeys = <E extends object>({ entries }: { entries: E }): (keyof E & string)[] =>
  Object.keys(entries) as (keyof E & string)[];

type NumberRange = { min: number; max: number; whole?: true };
const optionalNumber = ({ min, max, whole }: NumberRange, about: string) =>
  whole
    ? optional(pipe(number(), integer(), minValue(min), maxValue(max), description(about)))
    : optional(pipe(number(), minValue(min), maxValue(max), description(about)));
const optionalText = (about: string) => optional(pipe(string(), description(about)));
const optionalTexts = (about: string) => optional(pipe(union([string(), array(string())]), description(about)));
const Argv = pipe(array(string()), minLength(1));
/** A key that other tools read; any value is accepted. */
const anything = optional(unknown());
const optionalChoice = <const T extends readonly string[]>(names: T, about: string) => optional(pipe(picklist(names), description(about)));

export const MetadataPart = looseObject({
  name: optionalText('The default value of {project}'),
  version: optionalText('A string; quote it if it looks like a number'),
  description: optionalText('Purpose of the construct'),
  ...{ author: anything, license: anything, tags: anything, labels: anything, annotations: anything },
});

export const ExitCodePart = looseObject({
  name: optionalText('Name of the exit code'),
  class: optionalChoice(exitClasses, 'Class of the exit code'),
});
const optionalExitCodes = (about: string) =>
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
  name: optionalText('Name of the skill: the name of its folder'),
  slug: optionalText('Name of the skill, as written in packs'),
  phase: optionalText('Phase in which the skill runs'),
  required: optional(pipe(boolean(), description('false: it may be missing'))),
  path: optionalText('Folder of the skill, unless it is in .cleo/skills, .claude/skills or skills'),
  run: optional(pipe(union([string(), Argv]), description('The program and its arguments; with shell: true, one line'))),
  shell: optional(pipe(boolean(), description('run is one shell command line'))),
  env: optionalTexts('Environment variables to pass in addition to the default ones'),
  credentials: optionalTexts('Environment variables whose values are secret'),
  timeout_ms: optionalNumber(manifestLimits.milliseconds, 'Timeout of one attempt; 0: none'),
  max_retries: optionalNumber(manifestLimits.retries, 'Number of retries'),
  version: anything,
  description: anything,
});

const quality = {
  schema: optionalText('prd-v1, sdd-v1, sprint-v1, research-note, or one of .cleo/schemas'),
  min_completeness: optionalNumber(manifestLimits.share, 'Minimum completeness, from 0 to 1'),
  required_sections: optional(
    pipe(union([boolean(), array(string())]), description('Sections that must not be empty; true: all that the schema requires')),
  ),
};

export const ArtifactPart = looseObject({
  path: pipe(
    string(),
    description('Relative to the project folder; may contain *, {project}, {run_id}, {phase}, {date} and variables of --var'),
  ),
  ...quality,
  required: optional(pipe(boolean(), description('false: it may be missing'))),
  description: anything,
});
const optionalArtifacts = (about: string) => optional(pipe(array(union([string(), ArtifactPart])), description(about)));

export const PhasePart = looseObject({
  name: optionalText('Name of the phase, in a list of phases'),
  description: anything,
  skills: optionalTexts('Skills that run in this phase, in addition to those that name it'),
  receives: optionalArtifacts('Artifacts that the phase needs'),
  requires: optionalArtifacts('Artifacts that the phase needs'),
  produces: optionalArtifacts('Artifacts that the phase produces'),
  inputs: optionalArtifacts('Artifacts that the phase needs'),
  outputs: optionalArtifacts('Artifacts that the phase produces'),
});

export const ContractPart = looseObject({
  inputs: optionalArtifacts('Artifacts that the phase needs; a path may end with " (optional)"'),
  outputs: optionalArtifacts('Artifacts that the phase produces'),
  exit_codes: optionalExitCodes('Exit codes of the skills of this phase'),
  description: anything,
});

export const ExecutionPart = looseObject({
  type: optionalChoice(['sequential', 'parallel'], 'parallel: the skills of one phase run at the same time'),
  phases: optionalTexts('Phases, in the order in which they run'),
  max_concurrency: optionalNumber(manifestLimits.concurrency, 'Maximum number of skills that run at the same time'),
  executor: optional(pipe(Argv, description('Command that runs skills without a program of their own'))),
});

export const CapturePart = looseObject({
  enabled: optional(pipe(boolean(), description('false: store only the outcome'))),
  retention_days: optional(
    pipe(
      nullable(pipe(number(), integer(), minValue(0), maxValue(manifestLimits.days.max))),
      description('0: delete when the run ends; null: keep forever'),
    ),
  ),
  include_inputs: optionalChoice(['none', 'hashed', 'full'], 'How traces store inputs'),
  include_outputs: optionalChoice(['none', 'summary', 'full'], 'How traces store outputs'),
});

export const RubricPart = looseObject({
  id: string(),
  question: string(),
  weight: optionalNumber(manifestLimits.weight, 'Relative weight'),
});
export const GoalPart = looseObject({
  mode: optionalChoice(['off', 'judge', 'review', 'judge_then_review'], 'Who decides whether the goal was reached'),
  enforce: optional(pipe(boolean(), description('true: the goal gate decides how the run ends'))),
  rubric: optional(pipe(array(RubricPart), description('Questions for the judge'))),
});

export const JudgePart = looseObject({
  command: pipe(Argv, description('Reads a request as JSON and prints a verdict as JSON')),
  timeout_ms: optionalNumber(manifestLimits.milliseconds, 'Timeout of one call'),
  max_retries: optionalNumber(manifestLimits.retries, 'Number of retries if the judge gives no verdict'),
  votes: optionalNumber(manifestLimits.votes, 'Number of votes; must be odd'),
  min_score: optionalNumber(manifestLimits.share, 'Minimum score of a pass, from 0 to 1'),
});

const severity = optionalChoice(['block', 'warn'], 'warn: report the failure and continue');
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
  timeout_ms: optionalNumber(manifestLimits.milliseconds, 'Timeout of one attempt; 0: none'),
  max_retries: optionalNumber(manifestLimits.retries, 'Number of retries'),
  retry_on: optional(pipe(array(picklist(failureClasses)), description('Classes of exit codes that are retried'))),
  deadline_ms: optionalNumber(manifestLimits.milliseconds, 'Timeout of all attempts of all skills together; 0: none'),
  kill_grace_ms: optionalNumber(manifestLimits.milliseconds, 'Time between SIGTERM and SIGKILL'),
  severity,
});
export const OutputPart = looseObject({
  ...quality,
  primary_schema: optionalText('JSON Schema in .cleo/schemas for the output of the skill'),
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
  from: optionalText('Sending phase, if the key is not <from>_to_<to>'),
  to: optionalText('Receiving phase'),
  required_artifacts: optionalArtifacts('Required artifacts'),
  requires: optionalArtifacts('Required artifacts'),
  optional_artifacts: optionalArtifacts('Optional artifacts'),
  validation: optional(ValidationPart),
  on_failure: optionalChoice(onFailure, 'block: do not start the receiving phase'),
  on_missing: optionalChoice(onFailure, 'Another name of on_failure'),
  description: anything,
});

export const RedactionPart = looseObject({
  patterns: optionalTexts('Regular expressions (RE2) of additional secrets'),
  allow: optionalTexts('Fingerprints of values that are not redacted'),
});

export const AssessmentPart = looseObject({
  capture: optional(CapturePart),
  gates: optional(pipe(record(string(), GatesPart), description('By phase'))),
  goal: optional(GoalPart),
  judge: optional(JudgePart),
  exit_codes: optionalExitCodes('Exit codes of all skills'),
  handoffs: optional(pipe(record(string(), HandoffPart), description('By phases: discovery_to_design'))),
  selection: optionalChoice(['heuristic', 'judge', 'review', 'off'], 'Who decides whether it is the right skill'),
  reviewers_required: optionalNumber(manifestLimits.reviewers, 'Number of people that a review needs'),
  redaction: optional(RedactionPart),
});

/** Schema of a construct.yaml file. */
export const ConstructFile = looseObject({
  apiVersion: literal('loa/v1'),
  kind: literal('Construct'),
  metadata: optional(MetadataPart),
  skills: optional(pipe(array(union([string(), SkillPart])), description('Skills of the construct'))),
  execution: optional(ExecutionPart),
  phases: optional(
    pipe(
      union([record(string(), nullable(PhasePart)), array(union([string(), PhasePart]))]),
      description('Artifacts that each phase needs and produces'),
    ),
  ),
  contracts: optional(pipe(record(string(), ContractPart), description('Inputs, outputs and exit codes by phase'))),
  assessment: optional(AssessmentPart),
  exit_codes: optionalExitCodes('Exit codes of all skills'),
  env: optionalTexts('Environment variables to pass to all skills in addition to the default ones'),
  credentials: optionalTexts('Environment variables whose values are secret'),
  lifecycle_stage: optionalChoice(
    stageNames.filter((stage) => stage !== 'release'),
    'Lifecycle stage of the epic that a successful run for a task completes',
  ),
  description: anything,
  ...{ schema_version: anything, name: anything, version: anything, slug: anything, author: anything, license: anything },
  ...{ tags: anything, repository: anything, homepage: anything },
});

export const SectionPart = looseObject({
  id: string(),
  titles: optionalTexts('Accepted headings'),
  required: optional(pipe(boolean(), description('false: excluded from the completeness'))),
  weight: optionalNumber(manifestLimits.weight, 'Relative weight'),
  min_words: optionalNumber(manifestLimits.words, 'Number of words of a complete section'),
  min_items: optionalNumber(manifestLimits.items, 'Number of list items or table rows of a complete section'),
  description: anything,
});

/** Schema of a *.doc.yaml file. */
export const DocSchemaFile = looseObject({
  id: optionalText('Id used in manifests; defaults to the file name'),
  version: optionalText('A string; quote it if it looks like a number'),
  sections: optional(array(SectionPart)),
  front_matter: optional(pipe(record(string(), unknown()), description('JSON Schema of the front matter'))),
  description: anything,
});
