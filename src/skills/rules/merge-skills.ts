import type { Skill, SkillFinding, SkillOrigin, SkillRow, SkillSet } from '../model/skill.ts';

/** Skills and catalog of one origin. */
export interface SkillSource {
  origin: SkillOrigin;
  skills: Skill[];
  /** Order of the catalog. Skills that it does not name follow by name. */
  order: string[];
  rows: SkillRow[];
  findings: SkillFinding[];
  /** Path of the catalog. */
  path: string;
}

/** Merges skills and catalog rows of several sources. Of skills with the same name, that of the first source wins. */
export function mergeSkills(sources: SkillSource[]): SkillSet {
  const byName = new Map<string, Skill>();
  for (const { skills, order } of sources) {
    const rank = new Map(order.map((name, i) => [name, i]));
    const getRank = ({ name }: Skill): number => rank.get(name) ?? order.length;
    for (const skill of skills.toSorted((a, b) => getRank(a) - getRank(b) || (a.name < b.name ? -1 : 1))) {
      const winner = byName.get(skill.name);
      byName.set(skill.name, winner ? { ...winner, shadows: [...(winner.shadows ?? []), skill.origin] } : skill);
    }
  }
  return {
    skills: [...byName.values()],
    rows: sources.flatMap(({ rows }) => rows),
    findings: sources.flatMap(({ findings, origin, path, order, rows }) => {
      const catalogNames = [...new Set([...order, ...rows.map(({ skill }) => skill)])];
      const missing = catalogNames.filter((name) => !byName.has(name));
      return [
        ...findings,
        ...missing.map((skill) => ({
          skill,
          origin,
          path,
          severity: 'warning' as const,
          message: 'is in the catalog, but does not exist',
        })),
      ];
    }),
  };
}
