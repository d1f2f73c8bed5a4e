/** The run that a trace is of: `2026-01-31-run-x.jsonl` is that of `run-x`. */
export const runOfTrace = (name: string): string => name.slice('2026-01-31-'.length, -'.jsonl'.length);

export const isTraceName = (name: string): boolean => /^\d{4}-\d\d-\d\d-.+\.jsonl$/.test(name);

/** The traces that a word names: by the run, by the name of the file with or without its ending, or by a pattern with `*` and `?` for
 *  either. A folder before it is what a shell puts there. */
export function tracesNamed(word: string, names: string[]): string[] {
  const wanted = word.slice(Math.max(word.lastIndexOf('/'), word.lastIndexOf('\\')) + 1);
  return names.filter((name) => [name, name.slice(0, -'.jsonl'.length), runOfTrace(name)].some((known) => fits(known, wanted)));
}

export const isPattern = (word: string): boolean => /[*?]/.test(word);

/** Goes back to the last `*` only, so that no pattern takes long. */
function fits(text: string, pattern: string): boolean {
  let [at, ctx, star, after] = [0, 0, -1, 0];
  while (at < text.length) {
    if (pattern[ctx] === '*') {
      star = ctx++;
      after = at;
    } else if (ctx < pattern.length && (pattern[ctx] === '?' || pattern[ctx] === text[at])) {
      ctx++;
      at++;
    } else if (star >= 0) {
      ctx = star + 1;
      at = ++after;
    } else return false;
  }
  while (pattern[ctx] === '*') ctx++;
  return ctx === pattern.length;
}
