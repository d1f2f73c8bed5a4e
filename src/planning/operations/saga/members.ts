import { array, strictObject } from 'valibot';
import { query } from '#core/define.ts';
import { paged, pageParams } from '#core/page.ts';
import { progressOf } from '../../rules/progress.ts';
import { Container, perRoot, requireSaga, SagaId, sagaNames, withProgress } from '../shared/sagas.ts';

export const sagaMembers = query({
  name: 'saga.members',
  summary: 'List the epics of a saga, each with how far it is',
  params: strictObject({ sagaId: SagaId, ...pageParams(50) }),
  paramAliases: sagaNames,
  result: strictObject({ members: array(Container) }),
  errors: ['E_NOT_FOUND'],
  tier: 1,
  cli: { command: 'saga members', args: ['sagaId'] },
  example: { world: ['T001 saga', 'T002 in T001', 'T003 in T002 done', 'T004 in T002', 'T005 in T001'], call: { sagaId: 'T001' } },
  async run({ store }, { sagaId, ...page }) {
    await requireSaga(store, sagaId);
    // An archived epic is still what the saga has done.
    const all = await store.tasks.children(sagaId);
    const hits = await store.tasks.hits(all.slice(page.offset, page.offset + page.limit).map(({ id }) => id));
    const countsOf = perRoot(await store.tasks.countsInside(hits.map(({ id }) => id)));
    const members = hits.map((hit) => withProgress(hit, progressOf(countsOf(hit.id))));
    return paged({ members }, members.length, page, async () => all.length);
  },
});
