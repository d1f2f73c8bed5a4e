import { CleoError } from '#core/errors/error.ts';
import type { ReadStore } from '#store/port/store.ts';
import { type MemoryRecord, memoryLetters, memoryTypes } from '../../model/memory.ts';

/** Reads an entry. Throws E_NOT_FOUND with a search for entries of its type. */
export async function requireMemory(store: ReadStore, id: string): Promise<MemoryRecord> {
  const found = await store.memory.get(id);
  if (found) return found;
  const type = memoryTypes.find((one) => id.startsWith(memoryLetters[one]));
  throw new CleoError('E_NOT_FOUND', { id, what: type ?? 'memory', fix: `cleo memory find --type ${type}` });
}
