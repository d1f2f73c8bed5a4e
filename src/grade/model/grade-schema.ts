import { optional, strictObject } from 'valibot';
import { createJsonSchema } from '#core/model/json-schema.ts';
import { GradeResultSchema, GradeSchema } from './grade.ts';

const { percent, letter } = GradeSchema.entries;

/** Formats the JSON Schema of a line in `GRADES.jsonl`; a response of `admin.grade` has `percent` and `letter` in addition. */
export const formatGradeSchema = (): string =>
  `${JSON.stringify(
    {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      title: 'CLEO grade',
      description: 'How well an agent followed the protocol in one session: five dimensions of 20 points each. Version 1.0.0',
      ...createJsonSchema(strictObject({ ...GradeResultSchema.entries, percent: optional(percent), letter: optional(letter) })),
    },
    null,
    2,
  )}\n`;
