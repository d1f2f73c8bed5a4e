import { array, description, metadata, optional, picklist, pipe, strictObject, string } from 'valibot';
import { answer, query } from '#core/define.ts';
import { defined } from '#lib/collections.ts';
import { SkillHeadSchema, SkillOriginSchema } from '../model/skill.ts';
import { formatBrokenSkills, listSkills } from './shared/find-skill.ts';

const { name, description: about, category, protocol, origin, shadows } = SkillHeadSchema.entries;

export const skillsList = query({
  name: 'skills.list',
  aliases: ['tools.skill.list'],
  summary: 'List skills in order of precedence',
  params: strictObject({
    origin: optional(pipe(picklist(SkillOriginSchema.options), description('Only skills of this origin'), metadata({ isRare: true }))),
    category: optional(pipe(string(), description('Only skills of this category'), metadata({ isRare: true }))),
  }),
  result: strictObject({ skills: array(strictObject({ name, category, protocol, origin, shadows, description: about })) }),
  errors: [],
  tier: 0,
  needs: 'nothing',
  cli: { command: ['skill list', 'skills list'], view: async () => (await import('../view.ts')).skillView },
  example: { call: { category: 'validation' } },
  async run({ platform }, filter) {
    const set = await listSkills(platform);
    const skills = set.skills
      .filter((skill) => filter.origin === undefined || skill.origin === filter.origin)
      .filter((skill) => filter.category === undefined || skill.category === filter.category)
      .map((skill) => ({
        name: skill.name,
        ...defined({ category: skill.category, protocol: skill.protocol }),
        origin: skill.origin,
        ...defined({ shadows: skill.shadows }),
        description: skill.description,
      }));
    return answer({ skills }, { warnings: formatBrokenSkills(set), ...(skills.length === 0 ? { exit: 100 as const } : {}) });
  },
});
