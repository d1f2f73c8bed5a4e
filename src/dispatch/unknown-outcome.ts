import '#store/errors.ts';
import { CleoError } from '#core/errors/error.ts';

export const createUnknownOutcome = (problem: string): CleoError => new CleoError('E_OUTCOME_UNKNOWN', { problem });
