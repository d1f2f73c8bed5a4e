import { CleoError } from '#core/errors/error.ts';
import type { ReadStore } from '#store/port.ts';
import { type MemoryRecord, memoryLetters, memoryTypes } from '../../model/memory.ts';

/** The entry, or the refusal that leads to those of its type. */
export async function requireMemory(store: ReadStore, id: string): Promise<MemoryRecord> {
  const found = await store.memory.get(id);
  if (found) return found;
  const type = memoryTypes.find((one) => id.startsWith(memoryLetters[one]));
  throw new CleoError('E_NOT_FOUND', { id, what: type ?? 'memory', fix: `cleo memory find --type ${type}` });
}
