import { strictObject } from 'valibot';
import { query } from '#core/define.ts';
import { SkillName } from '#core/model/texts.ts';
import { SkillSchema } from '../model/skill.ts';
import { listSkills, requireSkill } from './shared/find-skill.ts';

export const skillsShow = query({
  name: 'skills.show',
  aliases: ['tools.skill.show'],
  summary: 'Show a skill and its text',
  params: strictObject({ name: SkillName }),
  synonyms: ['get', 'view', 'read'],
  result: strictObject({ skill: SkillSchema }),
  errors: ['E_NOT_FOUND'],
  tier: 0,
  needs: 'nothing',
  cli: { command: ['skill show', 'skills show'], args: ['name'], view: async () => (await import('../view.ts')).skillView },
  example: { call: { name: 'ct-orchestrator' } },
  run: async ({ platform }, { name }) => ({ skill: requireSkill(await listSkills(platform), name) }),
});
