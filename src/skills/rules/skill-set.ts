import type { Skill, SkillFinding, SkillOrigin, SkillRow, SkillSet } from '../model/skill.ts';

/** What was found in one place. */
export interface SkillPlace {
  origin: SkillOrigin;
  skills: Skill[];
  /** The order of its catalogue; what that leaves out comes after it, by name. */
  order: string[];
  rows: SkillRow[];
  findings: SkillFinding[];
  /** Its catalogue. */
  path: string;
}

/** What is in force of several places, the first of which wins: their skills, each name once, and their rows, in that order. */
export function inForce(places: SkillPlace[]): SkillSet {
  const byName = new Map<string, Skill>();
  for (const { skills, order } of places) {
    const rank = new Map(order.map((name, i) => [name, i]));
    const rankOf = ({ name }: Skill): number => rank.get(name) ?? order.length;
    for (const skill of skills.toSorted((a, b) => rankOf(a) - rankOf(b) || (a.name < b.name ? -1 : 1))) {
      const winner = byName.get(skill.name);
      byName.set(skill.name, winner ? { ...winner, shadows: [...(winner.shadows ?? []), skill.origin] } : skill);
    }
  }
  return {
    skills: [...byName.values()],
    rows: places.flatMap(({ rows }) => rows),
    findings: places.flatMap(({ findings, origin, path, order, rows }) => {
      const named = [...new Set([...order, ...rows.map(({ skill }) => skill)])];
      const missing = named.filter((name) => !byName.has(name));
      return [
        ...findings,
        ...missing.map((skill) => ({
          skill,
          origin,
          path,
          severity: 'warning' as const,
          message: 'the catalogue names it, and there is none',
        })),
      ];
    }),
  };
}
