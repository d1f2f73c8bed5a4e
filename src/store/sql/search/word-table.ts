/** Words that are known already. */
export interface WordTable {
  /** Adds the words of a text to `words`, except for known and short ones. `text` has one space between words. */
  addNewWords(text: string, words: Set<string>): void;
}

/** Creates a table that compares words in place: an import reads millions of words, of which nearly all are known, and a string for each
 *  of them would take longer than the index. */
export function createWordTable(): WordTable {
  const known = new Map<number, string>();
  return {
    addNewWords(text, words) {
      for (let start = 0; start < text.length; start++) {
        let hash = 0;
        let end = start;
        for (; end < text.length; end++) {
          const unit = text.charCodeAt(end);
          if (unit === space) break;
          hash = (Math.imul(hash, 31) + unit) | 0;
        }
        const length = end - start;
        if (length >= minLength) {
          const key = hash & 0x3fffffff;
          const same = known.get(key);
          if (same === undefined || same.length !== length || !text.startsWith(same, start)) {
            const word = text.slice(start, end);
            words.add(word);
            if (same === undefined && length <= maxCopiedLength && known.size < maxWords) known.set(key, word);
          }
        }
        start = end;
      }
    },
  };
}

const space = 0x20;
const minLength = 3;
/** V8 stores a longer part of a text as a reference to the whole text, which would then stay in memory. */
const maxCopiedLength = 12;
const maxWords = 50_000;
