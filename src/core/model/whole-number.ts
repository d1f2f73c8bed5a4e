import { type GenericSchema, integer, maxValue, minValue, number, pipe } from 'valibot';

/** The schema of a whole number parameter with its limits. */
export function wholeNumber({ min, max }: { min: number; max?: number }): GenericSchema<number> {
  const atLeast = pipe(
    number(),
    integer('must be a whole number'),
    minValue(min, min === 0 ? 'must not be negative' : `must be at least ${min}`),
  );
  return max === undefined ? atLeast : pipe(atLeast, maxValue(max, `must be at most ${max}`));
}
