/** Deeper than this no answer is; and what walks through it would run out of stack. */
export const deepest = 200;

/** What a skill printed: one JSON value, or a text; null where it printed nothing. */
export function primaryOf(stdout: Uint8Array): unknown {
  const text = new TextDecoder().decode(stdout);
  if (text.trim() === '') return null;
  try {
    const value: unknown = JSON.parse(text);
    return isDeeperThan(value, deepest) ? text : value;
  } catch {
    return text;
  }
}

/** Level by level, so that no depth is too much. */
export function isDeeperThan(value: unknown, most: number): boolean {
  let level = [value].filter(isNested);
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth >= most) return true;
    level = level.flatMap((one) => Object.values(one).filter(isNested));
  }
  return false;
}

const isNested = (value: unknown): value is object => typeof value === 'object' && value !== null;
