import type { ContextUsage } from '../model/session.ts';

export type ContextState = 'ok' | 'warning' | 'caution' | 'critical' | 'emergency' | 'stale';

export interface ContextLimits {
  warning: number;
  caution: number;
  critical: number;
  emergency: number;
  staleMinutes: number;
}

export const contextExits = { warning: 50, caution: 51, critical: 52, emergency: 53, stale: 54 } as const;

/** How near the window is to full. A report that is old, or was never made, says nothing. */
export function contextState(
  usage: ContextUsage | undefined,
  now: string,
  limits: ContextLimits,
): { state: ContextState; percent?: number } {
  if (!usage) return { state: 'stale' };
  const percent = percentOf(usage);
  if (Date.parse(usage.at) + limits.staleMinutes * 60_000 < Date.parse(now)) return { state: 'stale', percent };
  const state = levels.findLast((level) => percent >= limits[level]) ?? 'ok';
  return { state, percent };
}

export const levels = ['warning', 'caution', 'critical', 'emergency'] as const;
export type Level = (typeof levels)[number];

/** Two levels of which the milder begins after the graver, and would never be reached. */
export function outOfOrder(limits: Pick<ContextLimits, Level>): [milder: Level, graver: Level] | undefined {
  for (const [i, milder] of levels.entries()) {
    const graver = levels[i + 1];
    if (graver && limits[milder] > limits[graver]) return [milder, graver];
  }
  return undefined;
}

/** Rounded down: 89.9 % is not yet 90. */
export const percentOf = ({ used, max }: ContextUsage): number => Math.floor((used / max) * 100);

export const isCritical = (state: ContextState): boolean => state === 'critical' || state === 'emergency';
