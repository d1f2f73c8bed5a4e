import { type InferOutput, optional, picklist, strictObject, string } from 'valibot';
import { Timestamp } from '#tasks/model/task.ts';

/** The stages of an epic in order. */
export const stageNames = ['research', 'consensus', 'specification', 'decomposition', 'implementation', 'contribution', 'release'] as const;
export const StageNameSchema = picklist(stageNames);
const StageStatusSchema = picklist(['pending', 'active', 'completed', 'skipped', 'failed']);

export type StageName = InferOutput<typeof StageNameSchema>;
export type StageStatus = InferOutput<typeof StageStatusSchema>;

/** One stage of an epic with the agent, time and reason of its last change. */
export const StageSchema = strictObject({
  stage: StageNameSchema,
  status: StageStatusSchema,
  by: optional(string()),
  at: optional(Timestamp),
  reason: optional(string()),
  provenance: optional(string()),
});
export type Stage = InferOutput<typeof StageSchema>;

export const EnforcementSchema = picklist(['strict', 'advisory', 'off']);
export type Enforcement = InferOutput<typeof EnforcementSchema>;
