import { array, description, optional, pipe, strictObject } from 'valibot';
import { answer, type MutationContext, mutation, noChange } from '#core/define.ts';
import { CleoError } from '#core/errors/error.ts';
import { Reason } from '#core/model/texts.ts';
import { Citing, MemoryId, type MemoryRecord, MemorySummary } from '../model/memory.ts';
import { toMemorySummary } from '../rules/memory-view.ts';
import { saveTaskCitations } from './shared/citations.ts';
import { requirePerson, toStoredProof } from './shared/decide-memory.ts';
import { requireMemory } from './shared/require-memory.ts';

export const memorySupersede = mutation({
  name: 'memory.supersede',
  summary: 'Replace an entry by another and list its citations',
  params: strictObject({
    old: pipe(MemoryId, description('Entry to replace')),
    by: pipe(MemoryId, description('Entry that replaces it')),
    reason: optional(pipe(Reason, description('Reason (at most 1,000 characters)'))),
  }),
  paramAliases: { id: 'old', oldId: 'old', newId: 'by' },
  result: strictObject({ memory: MemorySummary, flagged: array(Citing) }),
  errors: ['E_NOT_FOUND', 'E_VALIDATION', 'E_CIRCULAR_REFERENCE', 'E_AUTONOMOUS_BOUNDARY'],
  tier: 1,
  scope: { scope: 'decide', when: 'for an accepted decision' },
  cli: { command: 'memory supersede', args: ['old'], view: async () => (await import('../view.ts')).memoryView },
  dryRun: true,
  example: {
    world: ['memory decision: Tokens are structs', 'memory decision: Tokens are classes', 'memory learning: Follows from D-001'],
    call: { old: 'D-001', by: 'D-002' },
  },
  async run(ctx, { old: oldId, by, reason }) {
    const { store } = ctx;
    const old = await requireMemory(store, oldId);
    const next = await requireMemory(store, by);
    if (old.supersededBy === by) return noChange({ memory: toMemorySummary(old), flagged: await listFlagged(ctx, oldId) });
    await checkSupersession(ctx, old, next);
    if (old.state === 'accepted') requirePerson(ctx, old, 'Superseding', `cleo memory supersede ${oldId} --by ${by}`);
    await store.memory.decide(oldId, 'superseded', { reason, by, proof: toStoredProof(ctx, 'memory.supersede') });
    await saveTaskCitations(store, oldId);
    const warnings =
      next.state === 'proposed' && old.state === 'accepted' ? [`${by} is only proposed until a person confirms it (memory confirm)`] : [];
    return answer(
      { memory: toMemorySummary({ ...old, state: 'superseded', supersededBy: by }), flagged: await listFlagged(ctx, oldId) },
      { warnings },
    );
  },
});

async function checkSupersession({ store }: MutationContext, old: MemoryRecord, next: MemoryRecord): Promise<void> {
  const successors = await store.memory.listSuccessors(next.id);
  if (old.id === next.id || successors.includes(old.id)) {
    const between = old.id === next.id ? [] : successors.slice(0, successors.indexOf(old.id) + 1);
    throw new CleoError('E_CIRCULAR_REFERENCE', {
      path: [next.id, ...between, next.id],
      what: 'supersedes',
      fix: `cleo memory timeline ${old.id}`,
    });
  }
  const createError = (field: string, problem: string, fix: string): CleoError => new CleoError('E_VALIDATION', { field, problem, fix });
  if (old.state === 'superseded')
    throw createError('old', `${old.id} is already superseded by ${old.supersededBy}`, `cleo memory timeline ${old.id}`);
  if (next.state === 'superseded')
    throw createError('by', `${next.id} is superseded itself`, `cleo memory supersede ${old.id} --by ${successors.at(-1)}`);
  if (next.state === 'rejected') throw createError('by', `${next.id} was rejected`, `cleo memory timeline ${next.id}`);
  if (old.type === 'decision' && next.type !== 'decision')
    throw createError('by', `${next.id} is not a decision`, 'cleo memory find --type decision');
}

const listFlagged = async ({ store }: MutationContext, id: string) =>
  (await store.memory.listFlagsFor(id)).map(({ kind, id: by, title }) => ({ kind, id: by, title }));
