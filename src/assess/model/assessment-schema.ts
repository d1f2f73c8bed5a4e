import { jsonSchemaOf } from '#core/model/json-schema.ts';
import { Assessment } from './assessment.ts';

/** The form of an assessment as a JSON Schema: of a line in `ASSESSMENTS.jsonl`, and of an answer. */
export const assessmentSchema = (): Record<string, unknown> => ({
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'CLEO assessment',
  description:
    'How one execution of a skill went: five dimensions of 20 points, of which those count that something is known of. Version 1.0.0',
  ...jsonSchemaOf(Assessment),
});

export const assessmentSchemaText = (): string => `${JSON.stringify(assessmentSchema(), null, 2)}\n`;
