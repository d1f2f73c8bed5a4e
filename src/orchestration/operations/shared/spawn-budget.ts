import { description, pipe } from 'valibot';
import { wholeNumber } from '#core/model/whole-number.ts';
import { defaultSpawnBudget } from '../../model/spawn.ts';

export const SpawnBudgetParam = pipe(
  wholeNumber({ min: 0 }),
  description(`Tokens that prompts may use in your own context during this session, ${defaultSpawnBudget} by default (ORC-005)`),
);
