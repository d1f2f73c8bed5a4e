import { array, picklist, strictObject, string } from 'valibot';
import { answer, query } from '#core/define.ts';
import { requestFacts } from '#core/observation.ts';
import { TaskParam } from '#tasks/operations/shared/params.ts';
import { requireTask } from '#tasks/operations/shared/require.ts';
import { protocolNames } from '../model/protocol.ts';
import { SkillMatchSchema } from '../model/skill.ts';
import { dispatchSkill } from '../rules/dispatch-skill.ts';
import { skillHeads, toSkillSet } from './shared/skill-heads.ts';

export const skillsDispatch = query({
  name: 'skills.dispatch',
  summary: 'Show which skill a task gets, and by which rule',
  params: strictObject({ taskId: TaskParam }),
  result: strictObject({
    dispatch: strictObject({
      taskId: string(),
      ...SkillMatchSchema.entries,
      protocol: picklist(protocolNames),
      alsoMatched: array(SkillMatchSchema),
    }),
  }),
  errors: ['E_NOT_FOUND'],
  tier: 2,
  observes: [skillHeads],
  observeFirst: () => [requestFacts(skillHeads, {})],
  cli: { command: ['skill dispatch', 'skills dispatch'], args: ['taskId'] },
  example: { world: ['T001 epic', 'T002 in T001: Investigate slow starts'], call: { taskId: 'T002' } },
  async run({ store, getFacts }, { taskId }) {
    const task = await requireTask(store, taskId);
    const epic = (await store.tasks.getAncestry(taskId)).find(({ type }) => type === 'epic');
    const stages = epic ? await store.lifecycle.listStages(epic.id) : [];
    const heads = await getFacts(skillHeads, {});
    const { skills, rows } = toSkillSet(heads);
    const stage = stages.find(({ status }) => status === 'active')?.stage;
    const { skill, ...chosen } = dispatchSkill({ ...task, stage }, skills, rows);
    return answer({ dispatch: { taskId, skill: skill.name, ...chosen } }, { warnings: heads.broken });
  },
});
