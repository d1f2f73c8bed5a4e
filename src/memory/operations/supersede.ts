import { array, description, optional, pipe, strictObject } from 'valibot';
import { answer, type MutationContext, mutation, noChange } from '#core/define.ts';
import { CleoError } from '#core/errors/error.ts';
import { Reason } from '#core/model/scalars.ts';
import { Citing, MemoryId, type MemoryRecord, MemorySummary } from '../model/memory.ts';
import { summaryOf } from '../rules/memory-view.ts';
import { citeTasks } from './shared/cite-tasks.ts';
import { checkPerson } from './shared/decide.ts';
import { requireMemory } from './shared/require.ts';

export const memorySupersede = mutation({
  name: 'memory.supersede',
  summary: 'Say that an entry took the place of another; everything that cites the old one is flagged',
  params: strictObject({
    old: pipe(MemoryId, description('The entry that holds no longer')),
    by: pipe(MemoryId, description('The one that took its place')),
    reason: optional(pipe(Reason, description('Why (at most 1,000 characters)'))),
  }),
  paramAliases: { id: 'old', oldId: 'old', newId: 'by' },
  result: strictObject({ memory: MemorySummary, flagged: array(Citing) }),
  errors: ['E_NOT_FOUND', 'E_VALIDATION', 'E_CIRCULAR_REFERENCE', 'E_AUTONOMOUS_BOUNDARY'],
  tier: 1,
  cli: { command: 'memory supersede', args: ['old'] },
  dryRun: true,
  example: {
    world: ['memory decision: Tokens are structs', 'memory decision: Tokens are classes', 'memory learning: Follows from D-001'],
    call: { old: 'D-001', by: 'D-002' },
  },
  async run(ctx, { old: oldId, by, reason }) {
    const { store } = ctx;
    const old = await requireMemory(store, oldId);
    const next = await requireMemory(store, by);
    if (old.supersededBy === by) return noChange({ memory: summaryOf(old), flagged: await flaggedOf(ctx, oldId) });
    await checkPlace(ctx, old, next);
    if (old.state === 'accepted') checkPerson(ctx, old, 'Superseding', `cleo memory supersede ${oldId} --by ${by}`);
    await store.memory.decide(oldId, 'superseded', reason, by);
    await citeTasks(store, oldId);
    const waits = next.state === 'proposed' && old.state === 'accepted' ? [`${by} is only proposed: cleo memory confirm ${by}`] : [];
    return answer(
      { memory: summaryOf({ ...old, state: 'superseded', supersededBy: by }), flagged: await flaggedOf(ctx, oldId) },
      { warnings: waits },
    );
  },
});

async function checkPlace({ store }: MutationContext, old: MemoryRecord, next: MemoryRecord): Promise<void> {
  const successors = await store.memory.successors(next.id);
  if (old.id === next.id || successors.includes(old.id)) {
    const path = [next.id, ...successors.slice(0, successors.indexOf(old.id) + 1), ...(old.id === next.id ? [] : [next.id])];
    throw new CleoError('E_CIRCULAR_REFERENCE', {
      path: old.id === next.id ? [old.id, old.id] : path,
      what: 'supersedes',
      fix: `cleo memory timeline ${old.id}`,
    });
  }
  const refuse = (field: string, problem: string, fix: string): CleoError => new CleoError('E_VALIDATION', { field, problem, fix });
  if (old.state === 'superseded')
    throw refuse('old', `${old.id} was superseded by ${old.supersededBy} already`, `cleo memory timeline ${old.id}`);
  if (next.state === 'superseded')
    throw refuse('by', `${next.id} was superseded itself`, `cleo memory supersede ${old.id} --by ${successors.at(-1)}`);
  if (next.state === 'rejected') throw refuse('by', `${next.id} was rejected`, `cleo memory timeline ${next.id}`);
  if (old.type === 'decision' && next.type !== 'decision')
    throw refuse('by', `${next.id} is no decision`, 'cleo memory find --type decision');
}

const flaggedOf = async ({ store }: MutationContext, id: string) =>
  (await store.memory.flaggedBy(id)).map(({ kind, id: by, title }) => ({ kind, id: by, title }));
