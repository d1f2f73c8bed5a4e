import type { ExecutionFacts } from '../model/assessment.ts';
import type { Reference } from './reference.ts';
import { type Points, rounded } from './score.ts';

/** Full points up to what is usual, none from three times that; 4 less for each retry. Of time and tokens the worse counts. */
export function efficiency({ durationMs, tokens, retries, attempts }: ExecutionFacts, reference: Reference): Points {
  if (attempts === 0) return { score: null, evidence: ['nothing was run'], flags: [] };
  const spent = [
    ...(reference.durationMs ? [{ unit: 'ms', used: durationMs, ...reference.durationMs }] : []),
    ...(reference.tokens && tokens !== null ? [{ unit: 'tokens', used: tokens, ...reference.tokens }] : []),
  ];
  const again = retries > 0 ? [`${retries} ${retries === 1 ? 'retry' : 'retries'}`] : [];
  if (spent.length === 0) return { score: null, evidence: ['nothing tells what it usually takes', ...again], flags: again };
  const share = Math.min(...spent.map(({ used, value }) => thrift(used, value)));
  return {
    score: Math.max(0, 20 * share - 4 * retries),
    evidence: [...spent.map(({ unit, used, value, source }) => `${rounded(used)} ${unit} of ${rounded(value)} (${source})`), ...again],
    flags: [
      ...spent
        .filter(({ used, value }) => used >= 2 * value)
        .map(({ unit, used, value }) => `took ${rounded(used)} ${unit}; ${rounded(value)} is usual`),
      ...again,
    ],
  };
}

function thrift(used: number, usual: number): number {
  // What usually takes no time at all may take a millisecond.
  const reference = Math.max(1, usual);
  return Math.max(0, 1 - Math.max(0, used - reference) / (2 * reference));
}
