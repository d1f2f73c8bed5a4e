import type { Priority, TaskSize } from '#core/model/scalars.ts';
import type { OpenTask } from '../model/open-work.ts';

export const priorityPoints: Record<Priority, number> = { critical: 400, high: 300, medium: 200, low: 100 };
export const sizePoints: Record<TaskSize, number> = { small: 10, medium: 5, large: 0 };
const pointsPerDependent = 25;
export const maxDependentPoints = 150;
/** More open tasks that depend on a task give no more points. */
export const maxScoredDependents = maxDependentPoints / pointsPerDependent;
export const siblingPoints = 50;
export const phasePoints = 20;
/** Outweighs all other points together, so that a conflict ranks behind every task without one. */
export const conflictPoints = -1000;

/** Scores what only a write of the task itself or of its dependents changes. */
export const scoreOwnPoints = (task: OpenTask, dependents: number): number =>
  priorityPoints[task.priority] + scoreDependents(dependents) + scoreSize(task);

export const scoreDependents = (dependents: number): number => Math.min(dependents * pointsPerDependent, maxDependentPoints);
export const scoreSize = ({ size }: OpenTask): number => (size ? sizePoints[size] : 0);
