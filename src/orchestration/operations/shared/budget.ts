import { description, integer, minValue, number, pipe } from 'valibot';
import { defaultBudget } from '../../model/spawn.ts';

export const Budget = pipe(
  number(),
  integer('must be a whole number'),
  minValue(0, 'must not be negative'),
  description(`Tokens of prompts you take into your own context in this session, ${defaultBudget} unless you said otherwise (ORC-005)`),
);
