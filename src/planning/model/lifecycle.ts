import { type InferOutput, optional, picklist, strictObject, string } from 'valibot';
import { Timestamp } from '#tasks/model/task.ts';

/** The stages of an epic in order. */
export const stageNames = ['research', 'consensus', 'specification', 'decomposition', 'implementation', 'contribution', 'release'] as const;
export const StageName = picklist(stageNames);
export const StageStatus = picklist(['pending', 'active', 'completed', 'skipped', 'failed']);

export type StageName = InferOutput<typeof StageName>;
export type StageStatus = InferOutput<typeof StageStatus>;

/** One stage of an epic with the agent, time and reason of its last change. */
export const Stage = strictObject({
  stage: StageName,
  status: StageStatus,
  by: optional(string()),
  at: optional(Timestamp),
  reason: optional(string()),
  provenance: optional(string()),
});
export type Stage = InferOutput<typeof Stage>;

export type Enforcement = 'strict' | 'advisory' | 'off';
