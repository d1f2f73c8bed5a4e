import { array, strictObject } from 'valibot';
import { query } from '#core/define.ts';
import { answerPage, pageParams } from '#core/page.ts';
import { RelationDiscoverySchema } from '../model/relation.ts';
import { findRelated } from '../rules/relate.ts';
import { TaskParam } from './shared/params.ts';
import { findRelatedCandidates } from './shared/related-candidates.ts';

export const tasksRelatesDiscover = query({
  name: 'tasks.relates.discover',
  summary: 'Find tasks that share labels, files, text or dependencies',
  params: strictObject({ taskId: TaskParam, ...pageParams(50) }),
  result: strictObject({
    discovered: array(RelationDiscoverySchema),
  }),
  errors: ['E_NOT_FOUND'],
  tier: 1,
  cli: { command: 'relates discover', args: ['taskId'] },
  example: { world: ['T001 files src/a.ts', 'T002 files src/a.ts depends T001'], call: { taskId: 'T001' } },
  async run({ store }, { taskId, ...page }) {
    const { task, candidates } = await findRelatedCandidates(store, taskId, false);
    const all = findRelated(task, candidates);
    const shown = all.slice(page.offset, page.offset + page.limit);
    return answerPage({ discovered: shown }, shown.length, page, async () => all.length);
  },
});
