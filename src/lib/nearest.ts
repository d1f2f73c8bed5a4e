import { measureDistance } from './terms.ts';

/** Finds the known names that a misspelt name may mean, best first. */
export function findNearest(name: string, known: string[], max = 3): string[] {
  const lowerName = name.toLowerCase();
  const limit = lowerName.length <= 3 ? 1 : lowerName.length <= 7 ? 2 : 3;
  return known
    .map((candidate) => ({ candidate, score: scoreCandidate(lowerName, candidate.toLowerCase(), limit) }))
    .filter(({ score }) => score <= limit)
    .sort((a, b) => a.score - b.score || (a.candidate < b.candidate ? -1 : 1))
    .slice(0, max)
    .map(({ candidate }) => candidate);
}

function scoreCandidate(wanted: string, candidate: string, limit: number): number {
  if (wanted.length > 100) return limit + 1;
  const edits = measureDistance(wanted, candidate, limit);
  // `desc` for `description` is a prefix, not a typo.
  return edits > limit && wanted.length >= 3 && candidate.startsWith(wanted) ? limit : edits;
}
