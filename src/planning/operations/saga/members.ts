import { array, strictObject } from 'valibot';
import { query } from '#core/define.ts';
import { answerPage, pageParams } from '#core/page.ts';
import { groupBy } from '#lib/collections.ts';
import { computeProgress } from '../../rules/progress.ts';
import { ContainerView, requireSaga, SagaId, sagaAliases } from '../shared/sagas.ts';

export const sagaMembers = query({
  name: 'saga.members',
  summary: 'List the epics of a saga with their progress',
  params: strictObject({ sagaId: SagaId, ...pageParams(50) }),
  paramAliases: sagaAliases,
  result: strictObject({ members: array(ContainerView) }),
  errors: ['E_NOT_FOUND'],
  tier: 1,
  cli: { command: 'saga members', args: ['sagaId'], view: async () => (await import('../../view.ts')).sagaView },
  example: { world: ['T001 saga', 'T002 in T001', 'T003 in T002 done', 'T004 in T002', 'T005 in T001'], call: { sagaId: 'T001' } },
  async run({ store }, { sagaId, ...page }) {
    await requireSaga(store, sagaId);
    // Archived epics are listed too.
    const all = await store.tasks.listChildren(sagaId);
    const hits = await store.tasks.getHits(all.slice(page.offset, page.offset + page.limit).map(({ id }) => id));
    const counts = groupBy(await store.tasks.countInSubtrees(hits.map(({ id }) => id)), ({ root }) => root);
    const members = hits.map((hit) => ({ ...hit, ...computeProgress(counts.get(hit.id) ?? []) }));
    return answerPage({ members }, members.length, page, async () => all.length);
  },
});
