import { findNearest } from '#lib/nearest.ts';

interface Suggestion {
  suggestions: string[];
  /** Ends a message: `; did you mean show or list?`. Empty when there is nothing to suggest. */
  question: string;
}

/** Suggests known names for a misspelt one. */
export function suggestNames(name: string, known: string[]): Suggestion {
  return toSuggestion(findNearest(name, known));
}

/** Suggests long flags for a misspelt one. The dashes are not compared, and a short flag is too short to correct. */
export function suggestFlag(flag: string, known: Iterable<string>): Suggestion {
  if (!flag.startsWith('--')) return toSuggestion([]);
  const names = [...known].flatMap((other) => (other.startsWith('--') ? [other.slice(2)] : []));
  return toSuggestion(findNearest(flag.slice(2), names).map((name) => `--${name}`));
}

function toSuggestion(suggestions: string[]): Suggestion {
  return { suggestions, question: suggestions.length ? `; did you mean ${suggestions.join(' or ')}?` : '' };
}
