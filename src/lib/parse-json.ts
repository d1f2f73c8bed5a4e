/** Parses JSON. Returns undefined if the text is missing or not JSON, which no JSON text parses to. */
export function parseJson(text: string | undefined): unknown {
  const parsed = text === undefined ? undefined : checkJson(text);
  return parsed && 'value' in parsed ? parsed.value : undefined;
}

/** Parses JSON and returns the parser's own message if the text is not JSON. */
export function checkJson(text: string): { value: unknown } | { problem: string } {
  try {
    return { value: JSON.parse(text) };
  } catch (error) {
    return { problem: (error as Error).message };
  }
}

/** Removes the byte order mark that some editors put in front of a file. `JSON.parse` rejects it. */
export function stripBom(text: string): string {
  return text.startsWith('\ufeff') ? text.slice(1) : text;
}

/** True if a value is nested deeper than `limit`. It walks level by level, so that a deep value cannot overflow the stack. */
export function isDeeperThan(value: unknown, limit: number): boolean {
  let level = [value].filter(isNested);
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth >= limit) return true;
    level = level.flatMap((one) => Object.values(one).filter(isNested));
  }
  return false;
}

const isNested = (value: unknown): value is object => typeof value === 'object' && value !== null;
