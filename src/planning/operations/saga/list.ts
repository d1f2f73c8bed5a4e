import { array, number, strictObject } from 'valibot';
import { query } from '#core/define.ts';
import { paged, pageParams } from '#core/page.ts';
import { hitOf } from '#tasks/rules/view.ts';
import { progressOf } from '../../rules/progress.ts';
import { Container, perRoot, withProgress } from '../shared/sagas.ts';

export const sagaList = query({
  name: 'saga.list',
  summary: 'List the sagas, each with its epics and how far it is',
  params: strictObject(pageParams(50)),
  result: strictObject({ sagas: array(strictObject({ ...Container.entries, members: number() })) }),
  errors: [],
  tier: 1,
  cli: { command: ['saga list', 'sagas'] },
  example: { world: ['T001 saga', 'T002 in T001', 'T003 in T002 done', 'T004 in T002', 'T005 saga'], call: {} },
  async run({ store }, page) {
    const found = await store.tasks.list({ type: 'saga' }, 'id', page);
    const countsOf = perRoot(await store.tasks.countsInside(found.map(({ id }) => id)));
    const sagas = found.map((saga) => {
      const counts = countsOf(saga.id);
      const members = counts.filter(({ type }) => type === 'epic').reduce((all, { n }) => all + n, 0);
      return { ...withProgress(hitOf(saga), progressOf(counts)), members };
    });
    return paged({ sagas }, sagas.length, page, (atMost) => store.tasks.count({ type: 'saga' }, atMost));
  },
});
