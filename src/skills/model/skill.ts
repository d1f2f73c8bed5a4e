import { array, type InferOutput, optional, picklist, strictObject, string } from 'valibot';
import { type ProtocolName, protocolNames } from './protocol.ts';

/** Origin of a skill. Of two skills with one name, the first origin in this order wins. */
export const SkillOriginSchema = picklist(['project', 'user', 'bundled']);

/** A skill without its text. */
export const SkillHeadSchema = strictObject({
  name: string(),
  description: string(),
  version: optional(string()),
  category: optional(string()),
  /** Task labels that select the skill. */
  tags: array(string()),
  /** Phrases in a task's title or description that select the skill. */
  triggers: array(string()),
  protocol: optional(picklist(protocolNames)),
  lastReviewed: optional(string()),
  stability: optional(string()),
  origin: SkillOriginSchema,
  /** Relative to the project, or to the package for a bundled skill; otherwise absolute. */
  path: string(),
  /** Origins of other skills with this name, which this one hides. */
  shadows: optional(array(SkillOriginSchema)),
});

/** A skill with its text: everything after the front matter. */
export const SkillSchema = strictObject({ ...SkillHeadSchema.entries, text: string() });

/** A problem with a skill. A skill with an error is not used. */
export const SkillFindingSchema = strictObject({
  skill: string(),
  origin: SkillOriginSchema,
  path: string(),
  severity: picklist(['error', 'warning']),
  message: string(),
});

/** A skill that matches a task. */
export const SkillMatchSchema = strictObject({
  skill: string(),
  rule: picklist(['label', 'catalogue', 'type', 'keyword', 'fallback']),
  /** Description of the match. */
  match: string(),
});

export type SkillOrigin = InferOutput<typeof SkillOriginSchema>;
export type Skill = InferOutput<typeof SkillSchema>;
export type SkillFinding = InferOutput<typeof SkillFindingSchema>;
export type SkillMatch = InferOutput<typeof SkillMatchSchema>;

/** Row of a skill catalog: a task that meets all of its conditions gets the skill. */
export interface SkillRow {
  phase?: string;
  size?: string;
  stage?: string;
  protocol?: ProtocolName;
  skill: string;
}

/** All usable skills. If several match a task, the first one is chosen. */
export interface SkillSet {
  skills: Skill[];
  rows: SkillRow[];
  findings: SkillFinding[];
}
