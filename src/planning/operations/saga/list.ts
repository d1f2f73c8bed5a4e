import { array, number, strictObject } from 'valibot';
import { query } from '#core/define.ts';
import { answerPage, pageParams } from '#core/page.ts';
import { groupBy } from '#lib/collections.ts';
import { toTaskHit } from '#tasks/rules/view.ts';
import { computeProgress, sumCounts } from '../../rules/progress.ts';
import { ContainerView } from '../shared/sagas.ts';

export const sagaList = query({
  name: 'saga.list',
  summary: 'List sagas with their progress and number of epics',
  params: strictObject(pageParams(50)),
  result: strictObject({ sagas: array(strictObject({ ...ContainerView.entries, members: number() })) }),
  errors: [],
  tier: 1,
  cli: { command: ['saga list', 'sagas'], view: async () => (await import('../../view.ts')).sagaView },
  example: { world: ['T001 saga', 'T002 in T001', 'T003 in T002 done', 'T004 in T002', 'T005 saga'], call: {} },
  async run({ store }, page) {
    const found = await store.tasks.list({ type: ['saga'] }, 'id', page);
    const countsBySaga = groupBy(await store.tasks.countInSubtrees(found.map(({ id }) => id)), ({ root }) => root);
    const sagas = found.map((saga) => {
      const counts = countsBySaga.get(saga.id) ?? [];
      const members = sumCounts(counts.filter((count) => count.type === 'epic'));
      return { ...toTaskHit(saga), ...computeProgress(counts), members };
    });
    return answerPage({ sagas }, sagas.length, page, (atMost) => store.tasks.count({ type: ['saga'] }, atMost));
  },
});
