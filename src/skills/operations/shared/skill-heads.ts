import { array, type InferOutput, object, optional, picklist, string } from 'valibot';
import { observation } from '#core/observation.ts';
import type { Platform } from '#platform/port.ts';
import { protocolNames } from '../../model/protocol.ts';
import { SkillHeadSchema, type SkillSet } from '../../model/skill.ts';
import { formatBrokenSkills, listSkills } from './find-skill.ts';

export const SkillHeadsSchema = object({
  skills: array(SkillHeadSchema),
  rows: array(
    object({
      phase: optional(string()),
      size: optional(string()),
      stage: optional(string()),
      protocol: optional(picklist(protocolNames)),
      skill: string(),
    }),
  ),
  /** One warning for each skill that is not used because it has an error. */
  broken: array(string()),
});
type SkillHeads = InferOutput<typeof SkillHeadsSchema>;

/** The skills of the caller: those of its project, of its user and the bundled ones, without their texts. */
export const skillHeads = observation({
  name: 'checkout.skill-heads',
  request: object({}),
  facts: SkillHeadsSchema,
  observe: ({ platform }) => readSkillHeads(platform),
});

export async function readSkillHeads(platform: Platform): Promise<SkillHeads> {
  const set = await listSkills(platform);
  return { skills: set.skills.map(({ text, ...head }) => head), rows: set.rows, broken: formatBrokenSkills(set) };
}

/** Creates a set of skills whose texts are empty, for rules that choose one. */
export const toSkillSet = ({ skills, rows }: Pick<SkillHeads, 'skills' | 'rows'>): SkillSet =>
  ({ skills: skills.map((head) => ({ ...head, text: '' })), rows, findings: [] }) as SkillSet;
