import { array, type InferOutput, optional, picklist, strictObject, string } from 'valibot';
import { type ProtocolName, protocolNames } from './protocol.ts';

/** Where a skill was found. Of two with one name the first in this order is in force. */
export const SkillOrigin = picklist(['project', 'user', 'bundled']);

/** A skill but for its text. */
export const SkillHead = strictObject({
  name: string(),
  description: string(),
  version: optional(string()),
  category: optional(string()),
  /** A label of a task that equals one of them asks for the skill. */
  tags: array(string()),
  /** So do these, in its title or description. */
  triggers: array(string()),
  protocol: optional(picklist(protocolNames)),
  lastReviewed: optional(string()),
  stability: optional(string()),
  origin: SkillOrigin,
  /** From the project, or from the package where it is bundled; else absolute. */
  path: string(),
  /** Where there are others of this name, which are not in force. */
  shadows: optional(array(SkillOrigin)),
});

/** `text` is what an agent reads: everything behind the front matter. */
export const Skill = strictObject({ ...SkillHead.entries, text: string() });

/** What is wrong with a skill. One with an error is not in force. */
export const SkillFinding = strictObject({
  skill: string(),
  origin: SkillOrigin,
  path: string(),
  severity: picklist(['error', 'warning']),
  message: string(),
});

export type SkillOrigin = InferOutput<typeof SkillOrigin>;
export type SkillHead = InferOutput<typeof SkillHead>;
export type Skill = InferOutput<typeof Skill>;
export type SkillFinding = InferOutput<typeof SkillFinding>;

/** A task for which everything holds that a row says gets its skill. */
export interface SkillRow {
  phase?: string;
  size?: string;
  stage?: string;
  protocol?: ProtocolName;
  skill: string;
}

/** All skills in force, in the order that decides where several fit. */
export interface SkillSet {
  skills: Skill[];
  rows: SkillRow[];
  findings: SkillFinding[];
}
