import { parseJson } from '#lib/parse-json.ts';
/** A deeper value is kept as text, because recursive readers would overflow the stack. */
export const maxDepth = 200;

/** Parses the output of a skill: a JSON value or else text; null if it printed nothing. */
export function parsePrimary(stdout: Uint8Array): unknown {
  const text = new TextDecoder().decode(stdout);
  if (text.trim() === '') return null;
  const value = parseJson(text);
  return value === undefined || isDeeperThan(value, maxDepth) ? text : value;
}

/** Walks level by level, so that the depth cannot overflow the stack. */
export function isDeeperThan(value: unknown, limit: number): boolean {
  let level = [value].filter(isNested);
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth >= limit) return true;
    level = level.flatMap((one) => Object.values(one).filter(isNested));
  }
  return false;
}

const isNested = (value: unknown): value is object => typeof value === 'object' && value !== null;
