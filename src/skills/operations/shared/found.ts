import { CleoError } from '#core/errors/error.ts';
import { nearest } from '#lib/nearest.ts';
import type { Platform } from '#platform/port.ts';
import type { Skill, SkillFinding, SkillSet } from '../../model/skill.ts';

/** All skills, wherever the call comes from: outside a project there are those of the user and our own. */
export const skillsOf = ({ skills, project }: Platform): Promise<SkillSet> => skills.all(project());

/** What is broken and therefore not in force, in one line each. */
export const brokenOf = ({ findings }: SkillSet): string[] =>
  findings.filter(({ severity }) => severity === 'error').map(({ path, message }: SkillFinding) => `${path}: ${message}`);

export function requireSkill({ skills }: SkillSet, name: string): Skill {
  const found = skills.find((skill) => skill.name === name);
  if (found) return found;
  const [near] = nearest(
    name,
    skills.map((skill) => skill.name),
  );
  throw new CleoError('E_NOT_FOUND', { id: name, what: 'skill', fix: near ? `cleo skill show ${near}` : 'cleo skill list' });
}
