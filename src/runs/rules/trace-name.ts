/** The run id of a trace: `2026-01-31-run-x.jsonl` is the trace of `run-x`. */
export const toRunId = (name: string): string => name.slice('2026-01-31-'.length, -'.jsonl'.length);

export const isTraceName = (name: string): boolean => /^\d{4}-\d\d-\d\d-.+\.jsonl$/.test(name);

/** Finds traces by run id, by file name with or without extension, or by a pattern with `*` and `?` for either. A leading folder, as shells
 *  add it, is ignored. */
export function findTraces(word: string, names: string[]): string[] {
  const pattern = word.slice(Math.max(word.lastIndexOf('/'), word.lastIndexOf('\\')) + 1);
  return names.filter((name) => [name, name.slice(0, -'.jsonl'.length), toRunId(name)].some((known) => matchWildcard(known, pattern)));
}

export const isPattern = (word: string): boolean => /[*?]/.test(word);

/** Backtracks to the last `*` only, so that no pattern takes exponential time. */
function matchWildcard(text: string, pattern: string): boolean {
  let [textIndex, patternIndex, starIndex, resumeIndex] = [0, 0, -1, 0];
  while (textIndex < text.length) {
    if (pattern[patternIndex] === '*') {
      starIndex = patternIndex++;
      resumeIndex = textIndex;
    } else if (patternIndex < pattern.length && (pattern[patternIndex] === '?' || pattern[patternIndex] === text[textIndex])) {
      patternIndex++;
      textIndex++;
    } else if (starIndex >= 0) {
      patternIndex = starIndex + 1;
      textIndex = ++resumeIndex;
    } else return false;
  }
  while (pattern[patternIndex] === '*') patternIndex++;
  return patternIndex === pattern.length;
}
