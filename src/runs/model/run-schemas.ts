import { looseObject, partial } from 'valibot';
import { createJsonSchema } from '#core/model/json-schema.ts';
import {
  ArtifactPart,
  AssessmentPart,
  ConstructFile,
  ContractPart,
  DocSchemaFile,
  GatesPart,
  GoalPart,
  HandoffPart,
  PhasePart,
  SectionPart,
  SkillPart,
} from './construct-file.ts';
import {
  ArtifactSchema,
  ArtifactSpecSchema,
  CheckFailureSchema,
  CheckSchema,
  GateResultSchema,
  PhaseHandoffSchema,
  RetryAttemptSchema,
  RunProblemSchema,
  SideEffectSchema,
  SkillEvidenceSchema,
  SkillExecutionResultSchema,
  WarningSchema,
} from './execution.ts';
import { JudgeRequestSchema, JudgeVerdictSchema, ReviewEventSchema } from './judge.ts';
import { RunRecordSchema, TraceLineSchema } from './trace.ts';

/** The published schemas of the files that a run reads and writes, by file name. The names of their parts are published too. */
export const buildRunSchemas = (): Record<string, Record<string, unknown>> => ({
  'skill-execution-result': publishSchema(
    'SkillExecutionResult',
    'result.json of an execution: one skill in one phase, with all its attempts',
    SkillExecutionResultSchema,
    {
      Artifact: ArtifactSchema,
      SideEffect: SideEffectSchema,
      GateResult: GateResultSchema,
      Check: CheckSchema,
      CheckFailure: CheckFailureSchema,
      Evidence: SkillEvidenceSchema,
      Warning: WarningSchema,
      Error: RunProblemSchema,
      RetryAttempt: RetryAttemptSchema,
    },
  ),
  'phase-handoff': publishSchema(
    'PhaseHandoff',
    'Artifacts that one phase passed to the next, and whether they were accepted',
    PhaseHandoffSchema,
    {
      Artifact: ArtifactSchema,
      ArtifactSpec: ArtifactSpecSchema,
    },
  ),
  'trace-line': publishSchema('Trace line', 'One line of .cleo/traces/*.jsonl; readers ignore unknown fields', TraceLineSchema),
  'judge-request': publishSchema(
    'Judge request',
    'Input of assessment.judge.command: data to judge, not instructions',
    JudgeRequestSchema,
    {
      Evidence: SkillEvidenceSchema,
    },
  ),
  'judge-verdict': publishSchema(
    'Judge verdict',
    'Output of assessment.judge.command: one JSON value; verdict and score decide',
    partial(looseObject(JudgeVerdictSchema.entries), ['reasons', 'criteria', 'model', 'usage']),
  ),
  'review-line': publishSchema(
    'Review line',
    'One line of .cleo/reviews.jsonl; the state of a review is the fold of its lines',
    ReviewEventSchema,
  ),
  run: publishSchema('Run', '.cleo/runs/<run_id>/run.json: progress and outcome of a run', RunRecordSchema),
  construct: publishSchema('construct.yaml', 'Phases, skills, gates and handoffs; unknown keys are ignored', ConstructFile, {
    ArtifactPart,
    AssessmentPart,
    ContractPart,
    GatesPart,
    GoalPart,
    HandoffPart,
    PhasePart,
    SkillPart,
  }),
  'doc-schema': publishSchema('Document schema', '.cleo/schemas/*.doc.yaml: the sections of one kind of document', DocSchemaFile, {
    SectionPart,
  }),
});

export const formatSchema = (schema: Record<string, unknown>): string => `${JSON.stringify(schema, null, 2)}\n`;

const publishSchema = (title: string, description: string, schema: unknown, parts?: Record<string, unknown>): Record<string, unknown> => ({
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title,
  description,
  ...createJsonSchema(schema, parts),
});
