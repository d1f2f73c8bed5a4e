import { CleoError } from '#core/errors/error.ts';
import { findNearest } from '#lib/nearest.ts';
import type { Platform } from '#platform/port.ts';
import type { Skill, SkillFinding, SkillSet } from '../../model/skill.ts';

/** Lists all usable skills. Outside a project these are the skills of the user and the bundled ones. */
export const listSkills = ({ skills, getProject }: Platform): Promise<SkillSet> => skills.load(getProject());

/** Formats one warning for each skill that is not used because it has an error. */
export const formatBrokenSkills = ({ findings }: SkillSet): string[] =>
  findings.filter(({ severity }) => severity === 'error').map(({ path, message }: SkillFinding) => `${path}: ${message}`);

export function requireSkill({ skills }: SkillSet, name: string): Skill {
  const found = skills.find((skill) => skill.name === name);
  if (found) return found;
  const [nearestName] = findNearest(
    name,
    skills.map((skill) => skill.name),
  );
  throw new CleoError('E_NOT_FOUND', { id: name, what: 'skill', fix: nearestName ? `cleo skill show ${nearestName}` : 'cleo skill list' });
}
