import { optional, strictObject } from 'valibot';
import { jsonSchemaOf } from '#core/model/json-schema.ts';
import { Grade, GradeResult } from './grade.ts';

/** The form of a grade as a JSON Schema: of a line in `GRADES.jsonl`, and of an answer, which also says percent and letter. */
export function gradeSchema(): Record<string, unknown> {
  const { percent, letter } = Grade.entries;
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'CLEO grade',
    description: 'How an agent kept to the protocol in one session: five dimensions of 20 points. Version 1.0.0',
    ...jsonSchemaOf(strictObject({ ...GradeResult.entries, percent: optional(percent), letter: optional(letter) })),
  };
}

export const gradeSchemaText = (): string => `${JSON.stringify(gradeSchema(), null, 2)}\n`;
