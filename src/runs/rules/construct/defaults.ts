import type { CaptureSpec, GoalSpec, SkillSpec } from '../../model/construct.ts';

export const defaultTimeoutMs = 600_000;
export const defaultKillGraceMs = 1500;
export const noGoal: GoalSpec = { mode: 'off', enforce: false, rubric: [] };
export const defaultCapture: CaptureSpec = { enabled: true, retentionDays: 30, inputs: 'hashed', outputs: 'summary' };

/** A skill that is declared by its name alone. */
export const createSkillSpec = (name: string): SkillSpec => ({ name, required: true, shell: false, env: [], credentials: [] });
