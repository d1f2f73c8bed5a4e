import '../../errors.ts';
import { type MutationContext, noChange } from '#core/define.ts';
import { CleoError } from '#core/errors/error.ts';
import { isByPerson } from '#sessions/operations/shared/person.ts';
import type { MemoryRecord } from '../../model/memory.ts';
import { summaryOf } from '../../rules/memory-view.ts';
import { requireMemory } from './require.ts';

/** Agents propose; what becomes of a decision is a person's act. Of anything else agents may tell among themselves. */
export function checkPerson(ctx: MutationContext, { id, type, tasks }: MemoryRecord, what: string, retry: string): void {
  if (type !== 'decision' || isByPerson(ctx)) return;
  throw new CleoError('E_AUTONOMOUS_BOUNDARY', { id, what: `${what} ${id}`, retry, taskId: tasks[0] });
}

/** Confirms or rejects an entry. One that was superseded stays what it is. */
export async function decide(ctx: MutationContext, id: string, state: 'accepted' | 'rejected', reason?: string) {
  const { store } = ctx;
  const entry = await requireMemory(store, id);
  if (entry.state === 'superseded')
    throw new CleoError('E_VALIDATION', {
      field: 'state',
      problem: `of ${id} is superseded, by ${entry.supersededBy}; that does not change any more`,
      fix: `cleo memory fetch ${entry.supersededBy}`,
    });
  if (entry.state === state) return noChange({ memory: summaryOf(entry) });
  const [what, verb] = state === 'accepted' ? ['Accepting', 'confirm'] : ['Rejecting', 'reject'];
  checkPerson(ctx, entry, what!, `cleo memory ${verb} ${id}`);
  await store.memory.decide(id, state, reason);
  return { memory: summaryOf({ ...entry, state }) };
}
