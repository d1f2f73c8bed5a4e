import { looseObject, partial } from 'valibot';
import { jsonSchemaOf } from '#core/model/json-schema.ts';
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
  Artifact,
  ArtifactSpec,
  Check,
  CheckFailure,
  Evidence,
  GateResult,
  PhaseHandoff,
  Problem,
  RetryAttempt,
  SideEffect,
  SkillExecutionResult,
  Warning,
} from './execution.ts';
import { JudgeRequest, ReviewEvent, Verdict } from './judge.ts';
import { RunRecord, TraceLine } from './trace.ts';

/** The schemas of what a run reads and writes, by the names of their files; the parts of each have the names that others know. */
export const runSchemas = (): Record<string, Record<string, unknown>> => ({
  'skill-execution-result': published(
    'SkillExecutionResult',
    'result.json of an execution: one skill in one phase, with all its attempts',
    SkillExecutionResult,
    { Artifact, SideEffect, GateResult, Check, CheckFailure, Evidence, Warning, Error: Problem, RetryAttempt },
  ),
  'phase-handoff': published('PhaseHandoff', 'What one phase left for the next, and whether that was enough', PhaseHandoff, {
    Artifact,
    ArtifactSpec,
  }),
  'trace-line': published('Trace line', 'One line of .cleo/traces/*.jsonl; readers pass over what they do not know', TraceLine),
  'judge-request': published('Judge request', 'What assessment.judge.command reads: data to be judged, and no order', JudgeRequest, {
    Evidence,
  }),
  'judge-verdict': published(
    'Judge verdict',
    'What assessment.judge.command prints, as one JSON value; verdict and score decide',
    partial(looseObject(Verdict.entries), ['reasons', 'criteria', 'model', 'usage']),
  ),
  'review-line': published('Review line', 'One line of .cleo/reviews.jsonl; a review is what its lines say together', ReviewEvent),
  run: published('Run', '.cleo/runs/<run_id>/run.json: how far a run is, and what became of it', RunRecord),
  construct: published('construct.yaml', 'Phases, skills, gates and handoffs; names that are not known are left aside', ConstructFile, {
    ArtifactPart,
    AssessmentPart,
    ContractPart,
    GatesPart,
    GoalPart,
    HandoffPart,
    PhasePart,
    SkillPart,
  }),
  'doc-schema': published('Document schema', '.cleo/schemas/*.doc.yaml: the sections that a kind of document has', DocSchemaFile, {
    SectionPart,
  }),
});

export const schemaText = (schema: Record<string, unknown>): string => `${JSON.stringify(schema, null, 2)}\n`;

const published = (title: string, description: string, schema: unknown, parts?: Record<string, unknown>): Record<string, unknown> => ({
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title,
  description,
  ...jsonSchemaOf(schema, parts),
});
