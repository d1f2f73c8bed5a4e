import type { ExecutionFacts } from '../model/assessment.ts';
import type { Reference } from './reference.ts';
import { type DimensionPoints, roundTo2 } from './score.ts';

/** Full points up to the usual time and tokens, none from three times that on. The worse of the two counts, and each retry costs 4
 *  points. */
export function scoreEfficiency({ durationMs, tokens, retries, attempts }: ExecutionFacts, reference: Reference): DimensionPoints {
  if (attempts === 0) return { score: null, evidence: ['nothing ran'], flags: [] };
  const spent = [
    ...(reference.durationMs ? [{ unit: 'ms', used: durationMs, ...reference.durationMs }] : []),
    ...(reference.tokens && tokens !== null ? [{ unit: 'tokens', used: tokens, ...reference.tokens }] : []),
  ];
  const retryText = retries > 0 ? [`${retries} ${retries === 1 ? 'retry' : 'retries'}`] : [];
  if (spent.length === 0) return { score: null, evidence: ['no reference to compare with', ...retryText], flags: retryText };
  const share = Math.min(...spent.map(({ used, value }) => rateUsage(used, value)));
  return {
    score: Math.max(0, 20 * share - 4 * retries),
    evidence: [
      ...spent.map(({ unit, used, value, source }) => `${roundTo2(used)} ${unit} of ${roundTo2(value)} (${source})`),
      ...retryText,
    ],
    flags: [
      ...spent
        .filter(({ used, value }) => used >= 2 * value)
        .map(({ unit, used, value }) => `took ${roundTo2(used)} ${unit}; ${roundTo2(value)} is usual`),
      ...retryText,
    ],
  };
}

function rateUsage(used: number, usual: number): number {
  // At least 1 ms, so that a skill that usually takes 0 ms has a usable reference.
  const reference = Math.max(1, usual);
  return Math.max(0, 1 - Math.max(0, used - reference) / (2 * reference));
}
