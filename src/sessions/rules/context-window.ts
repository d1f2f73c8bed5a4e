import type { Config } from '#core/model/config.ts';
import { toPercent } from '#lib/statistics.ts';
import type { ContextUsage } from '../model/session.ts';

export const contextLevels = ['warning', 'caution', 'critical', 'emergency'] as const;
type ContextLevel = (typeof contextLevels)[number];
type ContextState = 'ok' | ContextLevel | 'stale';

export const getContextLimits = (config: Config) => ({
  warning: config['context.warningPercent'],
  caution: config['context.cautionPercent'],
  critical: config['context.criticalPercent'],
  emergency: config['context.emergencyPercent'],
  staleMinutes: config['context.staleMinutes'],
});
type ContextLimits = ReturnType<typeof getContextLimits>;

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

/** Finds two neighboring levels in the wrong order. The milder one would never be reached. */
export function findMisorderedLevels(limits: Pick<ContextLimits, ContextLevel>): [milder: ContextLevel, graver: ContextLevel] | undefined {
  for (const [i, milder] of contextLevels.entries()) {
    const graver = contextLevels[i + 1];
    if (graver && limits[milder] > limits[graver]) return [milder, graver];
  }
  return undefined;
}

/** Rounds down: 89.9 % has not reached a limit of 90. */
const getUsedPercent = ({ used, max }: ContextUsage): number => toPercent(used / max);

export const isCritical = (state: ContextState): boolean => state === 'critical' || state === 'emergency';
