import { description, maxLength, pipe, strictObject, string } from 'valibot';
import { query } from '#core/define.ts';
import { Skill } from '../model/skill.ts';
import { requireSkill, skillsOf } from './shared/found.ts';

export const SkillName = pipe(string(), maxLength(64, 'must have at most 64 characters'), description('The skill'));

export const skillsShow = query({
  name: 'skills.show',
  aliases: ['tools.skill.show'],
  summary: 'Show a skill: when it is taken, and its text',
  params: strictObject({ name: SkillName }),
  result: strictObject({ skill: Skill }),
  errors: ['E_NOT_FOUND'],
  tier: 1,
  needs: 'nothing',
  cli: { command: ['skill show', 'skills show'], args: ['name'] },
  example: { call: { name: 'ct-orchestrator' } },
  run: async ({ platform }, { name }) => ({ skill: requireSkill(await skillsOf(platform), name) }),
});
