import { terms } from './terms.ts';

const k1 = 1.2;
const b = 0.75;

/** How well each text fits a query, by how rare the words are that they share. */
export function bm25(query: string, texts: string[]): number[] {
  const documents = texts.map(terms);
  const mean = documents.reduce((sum, words) => sum + words.length, 0) / Math.max(1, documents.length) || 1;
  const wanted = [...new Set(terms(query))];
  const weights = wanted.map((word) => {
    const holding = documents.filter((words) => words.includes(word)).length;
    return Math.log(1 + (documents.length - holding + 0.5) / (holding + 0.5));
  });
  return documents.map((words) =>
    wanted.reduce((sum, word, i) => {
      const count = words.filter((one) => one === word).length;
      return sum + (weights[i]! * count * (k1 + 1)) / (count + k1 * (1 - b + (b * words.length) / mean));
    }, 0),
  );
}
