import type { Config } from '#core/model/config.ts';
import type { ContextLimits } from '../../rules/context-window.ts';

export const getContextLimits = (config: Config): ContextLimits => ({
  warning: config['context.warningPercent'],
  caution: config['context.cautionPercent'],
  critical: config['context.criticalPercent'],
  emergency: config['context.emergencyPercent'],
  staleMinutes: config['context.staleMinutes'],
});
