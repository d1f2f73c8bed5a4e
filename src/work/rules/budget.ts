/** The limits of one `cleo work`; undefined or 0 means no limit. */
export interface Budget {
  maxTasks?: number | undefined;
  /** Time at which no task is started any more. */
  until?: string | undefined;
  maxCostUsd?: number | undefined;
  maxFailures: number;
}

export interface Spending {
  now: string;
  tasksStarted: number;
  costUsd: number;
  failuresInRow: number;
}

export type BudgetEnd = 'tasks' | 'time' | 'cost' | 'failures';

/** Finds the limit that is reached; then no further task is started. */
export function findBudgetEnd(budget: Budget, spent: Spending): BudgetEnd | undefined {
  if (budget.maxFailures > 0 && spent.failuresInRow >= budget.maxFailures) return 'failures';
  if (budget.maxTasks && spent.tasksStarted >= budget.maxTasks) return 'tasks';
  if (budget.until !== undefined && spent.now >= budget.until) return 'time';
  if (budget.maxCostUsd && spent.costUsd >= budget.maxCostUsd) return 'cost';
  return undefined;
}

const units: Record<string, number> = { s: 1000, m: 60_000, min: 60_000, h: 3_600_000, d: 86_400_000 };
const maxDurationMs = 366 * 86_400_000;

/** Parses a duration such as `90s`, `30m`, `2h`, `1.5h` or `1d`; undefined for anything else. */
export function parseDuration(text: string): number | undefined {
  const [, amount, unit = ''] = /^\s*(\d{1,6}(?:\.\d{1,3})?)\s*([a-z]+)\s*$/i.exec(text) ?? [];
  const factor = units[unit.toLowerCase()];
  if (amount === undefined || factor === undefined) return undefined;
  const ms = Number(amount) * factor;
  return ms > 0 && ms <= maxDurationMs ? ms : undefined;
}
