import { array, boolean, description, number, optional, pipe, strictObject } from 'valibot';
import { query } from '#core/define.ts';
import { answerPage, pageParams } from '#core/page.ts';
import { groupBy } from '#lib/collections.ts';
import { ContainerView } from '#planning/operations/shared/sagas.ts';
import { computeProgress, countByStatus } from '#planning/rules/progress.ts';
import type { TaskFilter } from '#store/port/tasks.ts';
import { toTaskHit } from '#tasks/rules/view.ts';

export const orchestrateEpics = query({
  name: 'orchestrate.epics',
  summary: 'List epics with their progress',
  params: strictObject({
    ...pageParams(50),
    all: optional(pipe(boolean(), description('Include done epics'))),
  }),
  synonyms: ['epic list'],
  result: strictObject({ epics: array(strictObject({ ...ContainerView.entries, active: number(), blocked: number() })) }),
  errors: [],
  tier: 2,
  cli: { command: 'epics', view: async () => (await import('../view.ts')).orchestrationView },
  example: { world: ['T001 epic', 'T002 in T001 done', 'T003 in T001 active by ada', 'T004 epic done'], call: {} },
  async run({ store }, { all = false, ...page }) {
    const filter: TaskFilter = { type: ['epic'], ...(all ? {} : { status: ['pending', 'active', 'blocked'] }) };
    const found = await store.tasks.list(filter, 'id', page);
    const countsByEpic = groupBy(await store.tasks.countInSubtrees(found.map(({ id }) => id)), ({ root }) => root);
    const epics = found.map((epic) => {
      const counts = countsByEpic.get(epic.id) ?? [];
      const { active, blocked } = countByStatus(counts);
      return { ...toTaskHit(epic), ...computeProgress(counts), active, blocked };
    });
    return answerPage({ epics }, epics.length, page, (atMost) => store.tasks.count(filter, atMost));
  },
});
