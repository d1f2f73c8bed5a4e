import { array, type InferOutput, number, strictObject, string } from 'valibot';

/** A recommended or suggested task; the points of its reasons add up to the score. */
export const ScoredTaskSchema = strictObject({
  taskId: string(),
  title: string(),
  score: number(),
  reasons: array(strictObject({ term: string(), points: number() })),
});
export type ScoredTask = InferOutput<typeof ScoredTaskSchema>;
