import { array, description, optional, picklist, pipe, strictObject, string } from 'valibot';
import { answer, query } from '#core/define.ts';
import { SkillHead, SkillOrigin } from '../model/skill.ts';
import { brokenOf, skillsOf } from './shared/found.ts';

const { name, description: about, category, protocol, origin, shadows } = SkillHead.entries;

export const skillsList = query({
  name: 'skills.list',
  aliases: ['tools.skill.list'],
  summary: 'List the skills in force, in the order that decides where several fit',
  params: strictObject({
    origin: optional(pipe(picklist(SkillOrigin.options), description('Only those of the project, of the user or of the package'))),
    category: optional(pipe(string(), description('Only those of this category'))),
  }),
  result: strictObject({ skills: array(strictObject({ name, category, protocol, origin, shadows, description: about })) }),
  errors: [],
  tier: 1,
  needs: 'nothing',
  cli: { command: ['skill list', 'skills list'] },
  example: { call: { category: 'validation' } },
  async run({ platform }, wanted) {
    const set = await skillsOf(platform);
    const skills = set.skills
      .filter((skill) => wanted.origin === undefined || skill.origin === wanted.origin)
      .filter((skill) => wanted.category === undefined || skill.category === wanted.category)
      .map((skill) => ({
        name: skill.name,
        ...(skill.category ? { category: skill.category } : {}),
        ...(skill.protocol ? { protocol: skill.protocol } : {}),
        origin: skill.origin,
        ...(skill.shadows ? { shadows: skill.shadows } : {}),
        description: skill.description,
      }));
    return answer({ skills }, { warnings: brokenOf(set), ...(skills.length === 0 ? { exit: 100 as const } : {}) });
  },
});
