import { toPercent } from '#lib/statistics.ts';
import type { ContextUsage } from '../model/session.ts';

export type ContextState = 'ok' | 'warning' | 'caution' | 'critical' | 'emergency' | 'stale';

export interface ContextLimits {
  warning: number;
  caution: number;
  critical: number;
  emergency: number;
  staleMinutes: number;
}

export const contextExitCodes = { warning: 50, caution: 51, critical: 52, emergency: 53, stale: 54 } as const;

/** Grades how full the context window is. A missing or outdated report is `stale`. */
export function getContextState(
  usage: ContextUsage | undefined,
  now: string,
  limits: ContextLimits,
): { state: ContextState; percent?: number } {
  if (!usage) return { state: 'stale' };
  const percent = getUsedPercent(usage);
  if (Date.parse(usage.at) + limits.staleMinutes * 60_000 < Date.parse(now)) return { state: 'stale', percent };
  const state = contextLevels.findLast((level) => percent >= limits[level]) ?? 'ok';
  return { state, percent };
}

export const contextLevels = ['warning', 'caution', 'critical', 'emergency'] as const;
export type ContextLevel = (typeof contextLevels)[number];

/** Finds two neighboring levels in the wrong order. The milder one would never be reached. */
export function findMisorderedLevels(limits: Pick<ContextLimits, ContextLevel>): [milder: ContextLevel, graver: ContextLevel] | undefined {
  for (const [i, milder] of contextLevels.entries()) {
    const graver = contextLevels[i + 1];
    if (graver && limits[milder] > limits[graver]) return [milder, graver];
  }
  return undefined;
}

/** Rounds down: 89.9 % has not reached a limit of 90. */
export const getUsedPercent = ({ used, max }: ContextUsage): number => toPercent(used / max);

export const isCritical = (state: ContextState): boolean => state === 'critical' || state === 'emergency';
