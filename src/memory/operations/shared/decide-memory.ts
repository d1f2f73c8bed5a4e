import '../../errors.ts';
import { type MutationContext, noChange } from '#core/define.ts';
import { CleoError } from '#core/errors/error.ts';
import { isCalledByPerson } from '#sessions/operations/shared/person.ts';
import type { MemoryRecord } from '../../model/memory.ts';
import { toMemorySummary } from '../../rules/memory-view.ts';
import { requireMemory } from './require-memory.ts';

/** Throws E_AUTONOMOUS_BOUNDARY if an agent decides about a decision. Agents may propose decisions and confirm other entries. */
export function requirePerson(ctx: MutationContext, { id, type, tasks }: MemoryRecord, what: string, retry: string): void {
  if (type !== 'decision' || isCalledByPerson(ctx)) return;
  throw new CleoError('E_AUTONOMOUS_BOUNDARY', { id, what: `${what} ${id}`, retry, taskId: tasks[0] });
}

/** Confirms or rejects an entry. A superseded entry cannot change any more. */
export async function decideMemory(ctx: MutationContext, id: string, state: 'accepted' | 'rejected', reason?: string) {
  const { store } = ctx;
  const entry = await requireMemory(store, id);
  if (entry.state === 'superseded')
    throw new CleoError('E_VALIDATION', {
      field: 'state',
      problem: `of ${id} is superseded by ${entry.supersededBy} and cannot change`,
      fix: `cleo memory fetch ${entry.supersededBy}`,
    });
  if (entry.state === state) return noChange({ memory: toMemorySummary(entry) });
  const [what, verb] = state === 'accepted' ? ['Accepting', 'confirm'] : ['Rejecting', 'reject'];
  requirePerson(ctx, entry, what!, `cleo memory ${verb} ${id}`);
  await store.memory.decide(id, state, reason);
  return { memory: toMemorySummary({ ...entry, state }) };
}
