import { getMaxEdits, toQueryWords } from '#core/rules/rank.ts';
import { measureDistance, toTerms } from '#lib/terms.ts';

/** Finds documents whose slug, title or kind has every word of the text: as it is, as a prefix, or with as many typos as the search of
 *  memory allows. Exact matches are first. */
export function matchDocuments<T extends { slug: string; title: string; type: string }>(docs: T[], text: string): T[] {
  const words = toQueryWords(text);
  if (words.length === 0) return docs;
  const found: { doc: T; edits: number }[] = [];
  for (const doc of docs) {
    const terms = toTerms(`${doc.slug} ${doc.title} ${doc.type}`);
    let edits = 0;
    for (const word of words) edits += countEdits(word, terms);
    if (edits < Number.POSITIVE_INFINITY) found.push({ doc, edits });
  }
  return found.sort((a, b) => a.edits - b.edits).map(({ doc }) => doc);
}

function countEdits(word: string, terms: string[]): number {
  if (terms.some((term) => term.startsWith(word))) return 0;
  const max = getMaxEdits(word);
  const best = Math.min(...terms.map((term) => measureDistance(word, term, max)));
  return best <= max ? best : Number.POSITIVE_INFINITY;
}
