import { measureDistance, toTerms } from '#lib/terms.ts';
import { getMaxEdits, toQueryWords } from './rank.ts';

/** Finds items whose text has every word of the query as the beginning of a word. If there are none, words with as many typos as the
 *  search of tasks allows match too, those with the fewest first. Otherwise the order of the items stays. */
export function matchNames<T>(items: T[], query: string, toText: (item: T) => string): T[] {
  if (query.trim() === '') return items;
  const words = toQueryWords(query);
  if (words.length === 0) return [];
  const texts = items.map((item) => ({ item, terms: toTerms(toText(item)) }));
  const exact = texts.filter(({ terms }) => words.every((word) => terms.some((term) => term.startsWith(word))));
  if (exact.length > 0) return exact.map(({ item }) => item);
  return texts
    .map(({ item, terms }) => ({ item, edits: countAllEdits(words, terms) }))
    .filter(({ edits }) => edits < Number.POSITIVE_INFINITY)
    .sort((a, b) => a.edits - b.edits)
    .map(({ item }) => item);
}

function countAllEdits(words: string[], terms: string[]): number {
  let edits = 0;
  for (const word of words) {
    edits += countEdits(word, terms);
    if (edits === Number.POSITIVE_INFINITY) break;
  }
  return edits;
}

function countEdits(word: string, terms: string[]): number {
  if (terms.some((term) => term.startsWith(word))) return 0;
  const max = getMaxEdits(word);
  const best = Math.min(...terms.map((term) => measureDistance(word, term, max)));
  return best <= max ? best : Number.POSITIVE_INFINITY;
}
