import { description, pipe } from 'valibot';
import { CleoError } from '#core/errors/error.ts';
import type { ReadStore } from '#store/port/store.ts';
import { MemoryId, type MemoryRecord, memoryLetters, memoryTypes } from '../../model/memory.ts';

export const memoryIdParam = pipe(MemoryId, description('Entry id, e.g. D-001'));
export const memoryIdAliases = { memoryId: 'id', decisionId: 'id' };

/** Reads an entry. Throws E_NOT_FOUND with a search for entries of its type. */
export async function requireMemory(store: ReadStore, id: string): Promise<MemoryRecord> {
  const found = await store.memory.get(id);
  if (found) return found;
  const type = memoryTypes.find((one) => id.startsWith(memoryLetters[one]));
  const hasAny = type !== undefined && (await store.memory.count({ type }, 1)) > 0;
  throw new CleoError('E_NOT_FOUND', {
    id,
    what: type ?? 'memory',
    fix: hasAny ? `cleo memory find --type ${type}` : 'cleo help memory store',
  });
}
