import { mean } from './statistics.ts';
import { toTerms } from './terms.ts';

const k1 = 1.2;
const b = 0.75;

/** Scores each text against a query with Okapi BM25: shared words count more the rarer they are. */
export function scoreBm25(query: string, texts: string[]): number[] {
  const documents = texts.map(toTerms);
  const meanLength = mean(documents.map((words) => words.length)) || 1;
  const queryTerms = [...new Set(toTerms(query))];
  const weights = queryTerms.map((word) => {
    const matches = documents.filter((words) => words.includes(word)).length;
    return Math.log(1 + (documents.length - matches + 0.5) / (matches + 0.5));
  });
  return documents.map((words) =>
    queryTerms.reduce((sum, word, i) => {
      const count = words.filter((term) => term === word).length;
      return sum + (weights[i]! * count * (k1 + 1)) / (count + k1 * (1 - b + (b * words.length) / meanLength));
    }, 0),
  );
}
