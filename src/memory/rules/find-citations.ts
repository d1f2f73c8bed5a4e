import { canonicalMemoryId } from '../model/memory.ts';

/** Finds memory ids in a text, each once, in order of occurrence. Only the canonical form counts: `D-1` and `d-001` may mean anything,
 *  and `ADR-001` is not a memory id. */
export function findCitations(text: string): string[] {
  const ids = text.match(/(?<![\p{L}\p{N}_-])[ODPL]-\d{3,15}(?![\p{L}\p{N}_]|-\d)/gu) ?? [];
  return [...new Set(ids.filter((id) => canonicalMemoryId(id) === id))];
}
