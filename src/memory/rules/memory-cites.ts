import { canonicalMemoryId } from '../model/memory.ts';

/** The ids of entries that a text speaks of, each once, in the order in which they come. Only as we print them: `D-1` and `d-001`
 *  may be anything, and `ADR-001` or `AD-001` is something else. */
export function citedIn(text: string): string[] {
  const found = text.match(/(?<![\p{L}\p{N}_-])[ODPL]-\d{3,15}(?![\p{L}\p{N}_]|-\d)/gu) ?? [];
  return [...new Set(found.filter((id) => canonicalMemoryId(id) === id))];
}
