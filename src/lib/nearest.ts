import { distance } from './terms.ts';

/** The names nearest to a misspelt one, best first; none where nothing is near enough to be meant. */
export function nearest(name: string, known: string[], most = 3): string[] {
  const wanted = name.toLowerCase();
  const limit = wanted.length <= 3 ? 1 : wanted.length <= 7 ? 2 : 3;
  return known
    .map((candidate) => ({ candidate, score: score(wanted, candidate.toLowerCase(), limit) }))
    .filter(({ score }) => score <= limit)
    .sort((a, b) => a.score - b.score || (a.candidate < b.candidate ? -1 : 1))
    .slice(0, most)
    .map(({ candidate }) => candidate);
}

function score(wanted: string, candidate: string, limit: number): number {
  if (wanted.length > 100) return limit + 1;
  const edits = distance(wanted, candidate, limit);
  // `desc` for `description` is a prefix, not a typo.
  return edits > limit && wanted.length >= 3 && candidate.startsWith(wanted) ? limit : edits;
}
