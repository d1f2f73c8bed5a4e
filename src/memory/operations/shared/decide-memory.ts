import '../../errors.ts';
import { strictObject } from 'valibot';
import { type MutationContext, noChange } from '#core/define.ts';
import type { ErrorCode } from '#core/errors/catalog.ts';
import { CleoError } from '#core/errors/error.ts';
import { requireReader } from '#core/require-reader.ts';
import { type MemoryRecord, MemorySummary } from '../../model/memory.ts';
import { deriveTitle, toDecidedContent, toMemorySummary } from '../../rules/memory-view.ts';
import { memoryIdAliases, requireMemory } from './require-memory.ts';

/** Definition shared by `memory.confirm` and `memory.reject`. */
export const decideDefinition = {
  paramAliases: memoryIdAliases,
  result: strictObject({ memory: MemorySummary }),
  errors: ['E_NOT_FOUND', 'E_VALIDATION', 'E_AUTONOMOUS_BOUNDARY'] satisfies ErrorCode[],
  tier: 1 as const,
  scope: { scope: 'decide' as const, when: 'for a decision' },
};

/** Throws E_AUTONOMOUS_BOUNDARY if an agent decides about a decision. Agents may propose decisions and confirm other entries. */
export function requirePerson(ctx: MutationContext, entry: MemoryRecord, what: string, retry: string): void {
  const { id, type, tasks, title, content } = entry;
  if (type !== 'decision') return;
  const text = title === deriveTitle(content) ? content : `${title}\n\n${content}`;
  // A sync can bring another text while the person reads.
  const isRead = requireReader(ctx, 'decide', {
    preview: [`${id}:`, ...text.split('\n').map((line) => `  ${line}`)],
    subject: id,
    action: `${what} ${id}`,
    content: toDecidedContent(entry),
    createError: (problem, hint) =>
      new CleoError('E_AUTONOMOUS_BOUNDARY', { id, what: `${what} ${id}`, problem, hint, retry, taskId: tasks[0] }),
  });
  if (!isRead)
    throw new CleoError('E_VALIDATION', {
      field: 'content',
      problem: `of ${id} changed while it was confirmed`,
      fix: `cleo memory fetch ${id}`,
    });
}

/** Returns the proof as it is stored with the decision. */
export const toStoredProof = ({ proof }: Pick<MutationContext, 'proof'>, operation: string): string | undefined =>
  proof && JSON.stringify({ ...proof, operation });

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
  await store.memory.decide(id, state, { reason, proof: toStoredProof(ctx, `memory.${verb}`) });
  return { memory: toMemorySummary({ ...entry, state }) };
}
