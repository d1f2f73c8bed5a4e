import { createJsonSchema } from '#core/model/json-schema.ts';
import { AssessmentSchema } from './assessment.ts';

/** Formats the JSON Schema of an assessment: a line of `ASSESSMENTS.jsonl`, and an item of an answer. */
export const formatAssessmentSchema = (): string =>
  `${JSON.stringify(
    {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      title: 'CLEO assessment',
      description: 'Score of one execution of a skill: five dimensions of 20 points; dimensions without data do not count. Version 1.0.0',
      ...createJsonSchema(AssessmentSchema),
    },
    null,
    2,
  )}\n`;
